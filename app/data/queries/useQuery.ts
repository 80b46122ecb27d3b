import { useCallback, useEffect, useSyncExternalStore } from 'react'
import { useClientSession } from '../hooks/useClientSession.ts'
import type { Query, QueryArgs } from './createQuery.ts'
import { WAITING, type QueryState } from './queryEntry.ts'

/** A value of the server with its state. `QueryContent` of `app/features/parts/lists` renders it. */
export interface QueryResult<T> extends QueryState<T> {
  /** Repeats the request that failed, or else fetches the value again. */
  retry: () => void
}

interface Options {
  /** With another revision than before the value is fetched again, and shown until then. */
  revision?: string | number | undefined
  /** Milliseconds for which this component causes no request when it is first shown; default: `freshMs` of the query. */
  freshMs?: number
}

type Rest<A extends QueryArgs> = A extends readonly []
  ? [args?: A, options?: Options]
  : [args: A, options?: Options]

/** Fetches the value of a query while the component is mounted. Without a query it fetches nothing. */
export function useQuery<A extends QueryArgs, T>(
  query: Query<A, T> | null,
  ...[args, options]: Rest<A>
): QueryResult<T> {
  const key = JSON.stringify(args ?? [])
  const source = query?.source ?? null
  const scope = useClientSession(() => source?.scope() ?? null)
  const { revision, freshMs } = options ?? {}
  const subscribe = useCallback(
    (listener: () => void) => (source && scope ? source.watch(scope, key, listener, freshMs) : () => {}),
    [source, scope, key, freshMs],
  )
  // Before the subscription, which then fetches a value of an earlier revision once.
  useEffect(() => {
    if (source && scope && revision !== undefined) source.setRevision(scope, key, revision)
  }, [source, scope, key, revision])
  const state = useSyncExternalStore(subscribe, () =>
    source && scope ? source.peek(scope, key) : (WAITING as QueryState<T>),
  )
  return { ...state, retry: () => (source && scope ? source.find(scope, key)?.retry() : undefined) }
}
