import type { UserEvent } from '../../../wire/events.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { getClientSession, sessionEmitter, type ClientSession } from '../session/clientSession.ts'
import { QueryEntry, WAITING, type Load, type QueryState } from './queryEntry.ts'

/** Arguments of a query: values that JSON can represent. */
export type QueryArgs = readonly unknown[]

export interface QueryOptions {
  /** Events of the user's topic after which the value is fetched again, as it is after an interruption of the connection. */
  events?: readonly UserEvent['event'][]
  /**
   * The number of values that are stored when no component shows them, and are shown until the next response; default: 0.
   * The oldest ones are dropped first. Not for a form that starts with the value.
   */
  maxStored?: number
  /** Milliseconds for which a new component causes no request; default: 0. */
  freshMs?: number
  /** Whether the value does not depend on the account, so that it stays when the session changes. */
  isPublic?: boolean
}

/**
 * Follows changes that `events` do not contain, such as messages of the store. It is called when a component shows the
 * value, and returns the function that ends it.
 */
export type Follow<A extends QueryArgs, T> = (
  entry: QueryEntry<T>,
  session: ClientSession,
  ...args: A
) => () => void

/** State of the server that is not synchronised. Components show it with `useQuery`. */
export interface Query<A extends QueryArgs, T> {
  /** The value in the current session; undefined if it is not known. */
  get: (...args: A) => T | undefined
  /** Fetches the value of these arguments again, without arguments all values. Values that nobody shows are fetched later. */
  invalidate: (...args: A | []) => void
  /** Replaces the value if it is stored or shown. Responses to earlier requests are dropped. */
  set: (args: A, value: T) => void
  /** Replaces a known value by a changed one, such as a list without an item. */
  change: (args: A, change: (value: T) => T) => void
  /** Returns the value if it is fresh, and fetches it otherwise. */
  load: (...args: A) => Promise<Outcome<T>>
  /** Keeps the value up to date without a component, until the returned function is called or the session ends. */
  watch: (...args: A) => () => void
  /** For `useQuery`. */
  source: QuerySource<T>
}

/** The entries of a query, for its hook. `key` is the JSON text of the arguments. */
export interface QuerySource<T> {
  /** The session or account-independent owner of the values. */
  scope: () => object
  peek: (scope: object, key: string) => QueryState<T>
  watch: (scope: object, key: string, listener: () => void, freshMs?: number) => () => void
  find: (scope: object, key: string) => QueryEntry<T> | undefined
  /** Sets the revision of a value that is shown, or is about to be. */
  setRevision: (scope: object, key: string, revision: string | number) => void
}

interface StoredEntry {
  entry: QueryEntry<unknown>
  events: readonly UserEvent['event'][]
}

/** The entries of one owner by query and key. They end with the session, because nothing else refers to them. */
type Entries = Map<string, StoredEntry>

const entriesByScope = new WeakMap<object, Entries>()
/** Owner of values while there is no client session; none of them is stored. */
const noSession = {}
/** Owner of the values of public queries. */
const everyone = {}
let queries = 0

const currentSession = (): object => getClientSession() ?? noSession

function entriesOf(scope: object): Entries {
  const known = entriesByScope.get(scope)
  if (known) return known
  const entries: Entries = new Map()
  entriesByScope.set(scope, entries)
  const session = getClientSession()
  if (session && session === scope) followEvents(session, entries)
  return entries
}

/** Invalidates the values that an event concerns, and all values with events after an interruption of the connection. */
function followEvents(session: ClientSession, entries: Entries): void {
  const unwatch = session.store.watch((change) => {
    if (change.type !== 'userEventReceived') return
    const { event, payload } = change.event
    const workspace = 'workspace_id' in payload ? payload.workspace_id : undefined
    if (workspace !== undefined && workspace !== session.store.get().workspace?.id) return
    for (const { entry, events } of entries.values()) if (events.includes(event)) entry.invalidate()
  })
  let wasLive = session.isLive()
  const unsubscribe = sessionEmitter.subscribe(() => {
    if (getClientSession() !== session) {
      unwatch()
      unsubscribe()
      return
    }
    const isLive = session.isLive()
    if (isLive && !wasLive)
      for (const { entry, events } of entries.values()) if (events.length > 0) entry.invalidate()
    wasLive = isLive
  })
}

/** Drops the oldest entries of a query that nobody watches. */
function dropOldest(entries: Entries, prefix: string, maxStored: number): void {
  const unwatched = [...entries].filter(([key, { entry }]) => key.startsWith(prefix) && !entry.isWatched)
  for (const [key] of unwatched.slice(0, Math.max(unwatched.length - maxStored, 0))) entries.delete(key)
}

/** Creates a query. Components that show the same arguments share its value and its requests. */
export function createQuery<A extends QueryArgs, T>(
  options: QueryOptions & { fetch: (...args: A) => Promise<Outcome<T>>; follow?: Follow<A, T> },
): Query<A, T> {
  return createQueryOf(
    options,
    (...args) =>
      () =>
        options.fetch(...args),
  )
}

/** Fetches the values of queries again if the command that changes them has succeeded. Returns its outcome. */
export function refetchAfter<T>(outcome: Outcome<T>, ...changed: { invalidate: () => void }[]): Outcome<T> {
  if (outcome.ok) for (const query of changed) query.invalidate()
  return outcome
}

/**
 * Replaces the value of a query by the response to a command. If the client session changes before the response, the value
 * of the new session stays.
 */
export async function setAfter<A extends QueryArgs, T>(
  query: Query<A, T>,
  args: A,
  request: Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const scope = query.source.scope()
  const outcome = await request
  if (outcome.ok) query.source.find(scope, JSON.stringify(args))?.set(outcome.value)
  return outcome
}

/** Creates a query whose load receives the current value. */
export function createQueryOf<A extends QueryArgs, T>(
  {
    events = [],
    maxStored = 0,
    freshMs = 0,
    isPublic = false,
    follow,
  }: QueryOptions & { follow?: Follow<A, T> },
  loadOf: (...args: A) => Load<T>,
): Query<A, T> {
  queries += 1
  const prefix = `${queries} `
  const scope = isPublic ? () => everyone : currentSession

  const find = (owner: object, key: string) =>
    entriesByScope.get(owner)?.get(prefix + key)?.entry as QueryEntry<T> | undefined

  function create(owner: object, key: string): QueryEntry<T> {
    const args = JSON.parse(key) as unknown as A
    const entry = new QueryEntry<T>({
      load: loadOf(...args),
      freshMs,
      isCurrent: () => scope() === owner,
      follow: (created) => {
        const session = getClientSession()
        return (session && follow?.(created, session, ...args)) ?? (() => {})
      },
    })
    entriesOf(owner).set(prefix + key, { entry: entry as unknown as QueryEntry<unknown>, events })
    return entry
  }

  function watch(owner: object, key: string, listener: () => void, fresh?: number): () => void {
    const entry = find(owner, key) ?? create(owner, key)
    const unwatch = entry.watch(listener, fresh)
    return () => {
      unwatch()
      const entries = entriesByScope.get(owner)
      const stored = entries?.get(prefix + key)
      if (!entries || !stored || entry.isWatched || stored.entry !== (entry as unknown)) return
      entries.delete(prefix + key)
      if (maxStored === 0 || owner === noSession) return
      // It is the newest one now.
      entries.set(prefix + key, stored)
      dropOldest(entries, prefix, maxStored)
    }
  }

  return {
    get: (...args) => find(scope(), JSON.stringify(args))?.state.value,
    invalidate: (...args) => {
      if (args.length > 0) find(scope(), JSON.stringify(args))?.invalidate()
      else
        for (const [key, { entry }] of entriesByScope.get(scope()) ?? [])
          if (key.startsWith(prefix)) entry.invalidate()
    },
    set: (args, value) => find(scope(), JSON.stringify(args))?.set(value),
    change: (args, change) => {
      const entry = find(scope(), JSON.stringify(args))
      if (entry?.state.value !== undefined) entry.set(change(entry.state.value))
    },
    load: (...args) =>
      new Promise((resolve) => {
        const [owner, key] = [scope(), JSON.stringify(args)]
        const resolveIfFetched = () => {
          const { value, failure, isFetching } = find(owner, key)?.state ?? WAITING
          if (isFetching) return
          unwatch()
          resolve(failure ? { ok: false, failure } : success(value as T))
        }
        const unwatch = watch(owner, key, resolveIfFetched)
        resolveIfFetched()
      }),
    watch: (...args) => watch(scope(), JSON.stringify(args), () => {}),
    source: {
      scope,
      find,
      watch,
      peek: (owner, key) => find(owner, key)?.state ?? WAITING,
      setRevision: (owner, key, revision) => (find(owner, key) ?? create(owner, key)).setRevision(revision),
    },
  }
}
