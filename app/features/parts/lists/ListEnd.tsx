import { i18n } from '@lingui/core'
import type { ReactNode } from 'react'
import type { Failure } from '../../../data/failures/failures.ts'
import { useConnection } from '../../../data/session/useWorkspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { cx } from '../../../ui/cx.ts'
import { useNearEnd } from '../../../ui/useNearEnd.ts'
import styles from './ListEnd.module.css'

/** The state of a list that grows while it is scrolled, as `Pages` have it. */
export interface ListState {
  /** Undefined before the first response. */
  value: readonly unknown[] | undefined
  failure: Failure | null
  isFetching: boolean
  /** Fetches the next page; null if there is none. */
  more: (() => void) | null
  retry: () => void
}

interface Props {
  list: ListState
  /** Accessible name of the placeholder while the first response is missing. */
  loading: string
  /** Shown instead of the placeholder without a network. */
  offline: string
  /** Label of the button that fetches the next page. */
  moreLabel?: string
  /** Shown for a list without items. */
  empty: ReactNode
}

/**
 * What follows the items of a list: a placeholder, an error with a button to try again, or the button for the next page,
 * which is also fetched before the end scrolls into view.
 */
export function ListEnd({ list, loading, offline, moreLabel = i18n._('Show more'), empty }: Props) {
  const { value, failure, isFetching, more, retry } = list
  const isOffline = useConnection() === 'offline'
  const end = useNearEnd(() => more?.())
  if (value === undefined && isOffline) return <EmptyState role="status" text={offline} />
  if (failure)
    return (
      <EmptyState role="alert" text={failure.message}>
        <Button busy={isFetching} onClick={retry}>
          {i18n._('Try again')}
        </Button>
      </EmptyState>
    )
  if (value === undefined) return <Skeleton label={loading} rows={6} />
  if (more)
    return (
      <div ref={end} className={cx(styles.more, isFetching && styles.busy)}>
        <Button variant="quiet" busy={isFetching} onClick={more}>
          {moreLabel}
        </Button>
      </div>
    )
  return value.length === 0 ? empty : null
}

interface FeedProps extends Props {
  label: string
  children: ReactNode
}

/** A list of articles that grows while it is scrolled. */
export function Feed({ label, children, ...end }: FeedProps) {
  return (
    <>
      <div
        role="feed"
        aria-label={label}
        aria-busy={end.list.isFetching}
        className={styles.feed}
        tabIndex={-1}
      >
        {children}
      </div>
      <ListEnd {...end} />
    </>
  )
}
