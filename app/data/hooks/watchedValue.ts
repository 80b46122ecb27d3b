import { useEffect } from 'react'
import type { UserEvent } from '../../../wire/events.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import { getClientSession, sessionEmitter, type ClientSession } from '../session/clientSession.ts'
import { createRetry, type Retry } from './createRetry.ts'
import { useClientSession } from './useClientSession.ts'

interface Options<T> {
  /** The events of the user's topic that announce a change of the value. */
  events: readonly UserEvent['event'][]
  /** Fetches the value of a workspace with the user's own rights. */
  fetch: (workspace: Uuid, session: ClientSession) => Promise<Outcome<T>>
}

/** A value of the workspace that a session fetches once it is used, and that ends with the session. */
export interface WatchedValue<T> {
  /** Fetches the value, and again after each change and each interruption of the connection. */
  watch: (session: ClientSession) => void
  fetchAgain: (session: ClientSession) => Promise<void>
  /** Replaces the value; responses of requests before this call are dropped. */
  set: (session: ClientSession, value: T) => void
  /** Null while it is not known. */
  get: (session: ClientSession) => T | null
  /** Watches the value; null while it is not known. */
  useValue: () => T | null
  /** Why the value is not known; null while it is, or is being fetched. */
  useFailure: () => Failure | null
}

interface Watched<T> {
  value: T | null
  failure: Failure | null
  isWatched: boolean
  /** Only the response of the last request is used. */
  request: number
  retry: Retry
}

export function createWatchedValue<T>({ events, fetch }: Options<T>): WatchedValue<T> {
  const bySession = new WeakMap<ClientSession, Watched<T>>()

  function watchedBy(session: ClientSession): Watched<T> {
    const known = bySession.get(session)
    if (known) return known
    const watched: Watched<T> = {
      value: null,
      failure: null,
      isWatched: false,
      request: 0,
      retry: createRetry(),
    }
    bySession.set(session, watched)
    return watched
  }

  async function fetchAgain(session: ClientSession): Promise<void> {
    const watched = watchedBy(session)
    const { workspace } = session.store.get()
    if (!workspace) return
    const request = ++watched.request
    const isCurrent = () => getClientSession() === session && request === watched.request
    const outcome = await fetch(workspace.id, session)
    if (!isCurrent()) return
    watched.failure = outcome.ok ? null : outcome.failure
    if (outcome.ok) {
      watched.value = outcome.value
      watched.retry.reset()
    } else if (outcome.failure.isRetryable) {
      watched.retry.schedule(() => {
        if (isCurrent()) void fetchAgain(session)
      })
    }
    sessionEmitter.emit()
  }

  function watch(session: ClientSession): void {
    const watched = watchedBy(session)
    if (watched.isWatched) return
    watched.isWatched = true
    void fetchAgain(session)
    session.store.watch((change) => {
      if (change.type !== 'userEventReceived' || !events.includes(change.event.event)) return
      const { payload } = change.event
      const workspace = 'workspace_id' in payload ? payload.workspace_id : undefined
      if (workspace === session.store.get().workspace?.id) void fetchAgain(session)
    })
    let wasLive = session.isLive()
    const unsubscribe = sessionEmitter.subscribe(() => {
      if (getClientSession() !== session) return unsubscribe()
      const isLive = session.isLive()
      // Changes may have been missed.
      if (isLive && !wasLive) void fetchAgain(session)
      wasLive = isLive
    })
  }

  const get = (session: ClientSession) => bySession.get(session)?.value ?? null

  return {
    watch,
    fetchAgain,
    set: (session, value) => {
      const watched = watchedBy(session)
      watched.request += 1
      watched.value = value
      watched.failure = null
      sessionEmitter.emit()
    },
    get,
    useValue: () => {
      const session = useClientSession((current) => current)
      const hasWorkspace = useClientSession((current) => Boolean(current?.store.get().workspace))
      useEffect(() => {
        if (session && hasWorkspace) watch(session)
      }, [session, hasWorkspace])
      return useClientSession((current) => current && get(current))
    },
    useFailure: () =>
      useClientSession((session) => {
        const watched = session && bySession.get(session)
        return watched && watched.value === null ? watched.failure : null
      }),
  }
}
