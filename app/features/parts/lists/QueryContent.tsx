import { i18n } from '@lingui/core'
import type { ReactNode } from 'react'
import type { QueryResult } from '../../../data/queries/useQuery.ts'
import { Button } from '../../../ui/Button.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useLoading } from './LoadTogether.tsx'

interface Props<T> {
  query: QueryResult<T>
  /** Accessible name of the placeholder while the first response is missing. */
  loading: string
  children: (value: T) => ReactNode
}

/**
 * The value of a query, or a placeholder. A failure is shown below a value that was fetched before, with a button to try
 * again.
 */
export function QueryContent<T>({ query, loading, children }: Props<T>) {
  const { value, failure, isFetching, retry } = query
  useLoading(value === undefined && !failure)
  return (
    <>
      {value === undefined ? null : children(value)}
      {failure ? (
        <>
          <p role="alert">{failure.message}</p>
          <div>
            <Button busy={isFetching} onClick={retry}>
              {i18n._('Try again')}
            </Button>
          </div>
        </>
      ) : value === undefined ? (
        <Skeleton label={loading} shape="lines" />
      ) : null}
    </>
  )
}
