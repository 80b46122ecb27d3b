import { useEffect } from 'react'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClientSession, sessionEmitter } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { createRetry } from './createRetry.ts'
import { setBounded } from './setBounded.ts'
import { useClientSession } from './useClientSession.ts'

/** A fetched row is requested again after this time (ms), since nobody announces its changes to this page. */
const FRESH_MS = 60_000
/** Fetched rows of a session; the oldest are dropped first. */
const MAX_FETCHED = 500
/** Of one request. */
const MAX_IDS = 50

interface Fetched<T> {
  /** Null: the reader may not read it. */
  row: T | null
  /** `performance.now()` of the request. */
  at: number
}

interface Options<T> {
  /** The row in the store; null if it is not loaded. The same value until it changes. */
  find: (session: ClientSession, id: Uuid) => T | null
  /** Fetches at most 50 rows with the reader's own rights, in any order; those that they may not read are missing. */
  fetch: (ids: Uuid[]) => Promise<Outcome<readonly { id: Uuid; row: T }[]>>
}

export interface RowFetcher<T> {
  /** The fetched row; null if the reader may not read it, undefined until that is known. */
  get: (session: ClientSession, id: Uuid) => T | null | undefined
  /** Requests a row, again after a temporary failure. Returns the function that ends this. */
  watch: (id: Uuid) => () => void
}

/** Fetches rows by their ids. Requests of one frame are one request. */
export function createRowFetcher<T>(fetch: Options<T>['fetch']): RowFetcher<T> {
  const fetchedBySession = new WeakMap<ClientSession, Map<Uuid, Fetched<T>>>()
  const wanted = new Set<Uuid>()
  /** How often each id is watched. */
  const watched = new Map<Uuid, number>()
  const retry = createRetry()

  function request(id: Uuid): void {
    const session = getClientSession()
    const known = session && fetchedBySession.get(session)?.get(id)
    if (!session || (known && performance.now() - known.at < FRESH_MS)) return
    if (wanted.size === 0) requestAnimationFrame(() => void fetchWanted())
    wanted.add(id)
  }

  function retryLater(ids: readonly Uuid[]): void {
    retry.schedule(() => {
      for (const id of ids) if (watched.has(id)) request(id)
    })
  }

  async function fetchWanted(): Promise<void> {
    const session = getClientSession()
    const ids = [...wanted].slice(0, MAX_IDS)
    for (const id of ids) wanted.delete(id)
    if (wanted.size > 0) requestAnimationFrame(() => void fetchWanted())
    if (!session || ids.length === 0) return
    const at = performance.now()
    const outcome = await fetch(ids)
    if (getClientSession() !== session) return
    if (!outcome.ok) {
      if (outcome.failure.isRetryable) retryLater(ids)
      return
    }
    retry.reset()
    const fetched = fetchedBySession.get(session) ?? new Map<Uuid, Fetched<T>>()
    fetchedBySession.set(session, fetched)
    for (const id of ids) {
      const row = outcome.value.find((one) => one.id === id)?.row ?? null
      setBounded(fetched, id, { row, at }, MAX_FETCHED)
    }
    sessionEmitter.emit()
  }

  return {
    get: (session, id) => fetchedBySession.get(session)?.get(id)?.row,
    watch: (id) => {
      watched.set(id, (watched.get(id) ?? 0) + 1)
      request(id)
      return () => {
        const count = (watched.get(id) ?? 0) - 1
        if (count > 0) watched.set(id, count)
        else watched.delete(id)
      }
    },
  }
}

/**
 * A hook that returns a row by its id: the loaded one, else fetched; null if the reader may not read it, undefined until
 * that is known.
 */
export function createFetchedRows<T>({ find, fetch }: Options<T>): (id: Uuid) => T | null | undefined {
  const { get, watch } = createRowFetcher(fetch)
  return function useFetchedRow(id) {
    const loaded = useClientSession((session) => session && find(session, id))
    const fetched = useClientSession((session) => session && get(session, id))
    const isLoaded = loaded !== null
    useEffect(() => (isLoaded ? undefined : watch(id)), [id, isLoaded])
    return loaded ?? fetched
  }
}
