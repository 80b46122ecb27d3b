import type { Uuid } from '../../../wire/scalars.ts'
import { attempt, success, type Outcome } from '../failures/failures.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { createQuery, type Query } from './createQuery.ts'
import { useQuery } from './useQuery.ts'

/** A fetched row is requested again after this time (ms), since nobody announces its changes to this page. */
const FRESH_MS = 60_000
/** Fetched rows of a session. */
const MAX_FETCHED = 500
/** Of one request. */
const MAX_IDS = 50

interface Options<T> {
  /** The row in the store; null if it is not loaded. The same value until it changes. */
  find: (session: ClientSession, id: Uuid) => T | null
  /** Fetches at most 50 rows with the reader's own rights, in any order. The result omits rows that the reader may not read. */
  fetch: (ids: Uuid[]) => Promise<Outcome<readonly { id: Uuid; row: T }[]>>
}

/** Creates a query of rows by their ids: null if the reader may not read a row. Requests of one frame are one request. */
export function createRowQuery<T>(fetch: Options<T>['fetch']): Query<[Uuid], T | null> {
  const waiting = new Map<Uuid, (outcome: Outcome<T | null>) => void>()
  async function fetchWaiting(): Promise<void> {
    const batch = [...waiting].slice(0, MAX_IDS)
    for (const [id] of batch) waiting.delete(id)
    if (waiting.size > 0) requestAnimationFrame(() => void fetchWaiting())
    const rows = await attempt(() => fetch(batch.map(([id]) => id)))
    for (const [id, resolve] of batch)
      resolve(rows.ok ? success(rows.value.find((one) => one.id === id)?.row ?? null) : rows)
  }
  return createQuery({
    maxStored: MAX_FETCHED,
    freshMs: FRESH_MS,
    // An entry has one request at a time, so each id waits once.
    fetch: (id: Uuid) =>
      new Promise<Outcome<T | null>>((resolve) => {
        if (waiting.size === 0) requestAnimationFrame(() => void fetchWaiting())
        waiting.set(id, resolve)
      }),
  })
}

/**
 * A hook that returns a row by its id: the loaded one, else fetched; null if the reader may not read it, undefined until
 * that is known.
 */
export function createFetchedRows<T>({ find, fetch }: Options<T>): (id: Uuid) => T | null | undefined {
  const rows = createRowQuery(fetch)
  return function useFetchedRow(id) {
    const loaded = useClientSession((session) => session && find(session, id))
    const { value } = useQuery(loaded === null ? rows : null, [id])
    return loaded ?? value
  }
}
