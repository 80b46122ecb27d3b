import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import { changeEntryState, navigate, readEntryState } from '../../historyState.ts'
import { formatAddress, pathTo } from '../../paths.ts'
import type { ActivityFilter } from '../../../wire/activity.ts'
import type { Timestamp } from '../../../wire/scalars.ts'
import { groupActivity } from '../../data/activity/groupActivity.ts'
import { useActivity } from '../../data/activity/useActivity.ts'
import { useReminders } from '../../data/messages/reminders.ts'
import { useConnection } from '../../data/session/useWorkspace.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Button } from '../../ui/Button.tsx'
import { moveInFeed } from '../../ui/moveInFeed.ts'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useNearEnd } from '../../ui/useNearEnd.ts'
import { useScrollRestoration } from '../../ui/useScrollRestoration.ts'
import { readPageQuery } from '../../ui/pageAddress.ts'
import { LoadError } from '../../shell/LoadError.tsx'
import { PaneHeader } from '../../shell/PaneHeader.tsx'
import paneStyles from '../../shell/Pane.module.css'
import pageStyles from '../../shell/ListPage.module.css'
import { ActivityRow } from './ActivityRow.tsx'
import { ReminderRow } from './ReminderRow.tsx'

const FILTERS: readonly ActivityFilter[] = ['all', 'mentions', 'reactions', 'replies']

/** Reads the filter from the URL, which stays the same when the reader returns from an entry. */
function filterInUrl(): ActivityFilter {
  const named = readPageQuery().get('show')
  return FILTERS.find((one) => one === named) ?? 'all'
}

/**
 * Returns the time up to which reactions had been seen when this entry of the browser's history was opened. Later
 * reactions stay marked as new when the reader returns from a message.
 */
function useSeenAt(current: Timestamp | null): Timestamp | null {
  const [seenAt, setSeenAt] = useState(() => readEntryState().seenAt ?? null)
  if (seenAt === null && current !== null) setSeenAt(current)
  useEffect(() => {
    if (seenAt !== null) changeEntryState({ seenAt })
  }, [seenAt])
  return seenAt
}

/**
 * The page with mentions of the user, reactions to their messages, replies in threads that they follow, and due
 * reminders.
 */
export default function ActivityPage() {
  const [filter, setFilter] = useState(filterInUrl)
  const { value, summary, failure, isFetching, more, retry } = useActivity(filter)
  const offline = useConnection() === 'offline'
  const isLoading = value === undefined && (offline || !failure)
  const items = groupActivity(value ?? [])
  const seenAt = useSeenAt(summary?.seen_at ?? null)
  const reminders = useReminders()
  // Older entries than the listed ones follow with the next page.
  const until = more ? Date.parse(items.at(-1)?.at ?? '') : -Infinity
  const rows = [
    ...items.map((item) => ({
      at: item.at,
      row: <ActivityRow key={item.key} item={item} seenAt={seenAt} />,
    })),
    ...(filter === 'all' && value ? reminders : []).flatMap((reminder) => {
      const { id, reminded_at: at } = reminder
      if (at === null || !(Date.parse(at) >= until)) return []
      return [{ at, row: <ReminderRow key={id} reminder={reminder} at={at} /> }]
    }),
  ].sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
  const scroller = useScrollRestoration(`activity ${filter}`, items.length > 0)
  const end = useNearEnd(() => more?.())
  const change = (next: ActivityFilter) => {
    setFilter(next)
    navigate(formatAddress(pathTo('activity'), { show: next === 'all' ? null : next }), {
      replace: true,
      state: seenAt === null ? {} : { seenAt },
    })
  }
  return (
    <section
      className={paneStyles.pane}
      aria-label={i18n._('Activity')}
      onKeyDown={(event) => moveInFeed(event, '[data-entry]')}
    >
      <PaneHeader title={i18n._('Activity')} />
      <div ref={scroller} className={pageStyles.scroller}>
        <div className={pageStyles.filter}>
          <RadioGroup
            label={i18n._('Show')}
            hideLabel
            value={filter}
            options={[
              { value: 'all', label: i18n._('All') },
              { value: 'mentions', label: i18n._('Mentions') },
              { value: 'reactions', label: i18n._('Reactions') },
              { value: 'replies', label: i18n._('Replies') },
            ]}
            onChange={change}
          />
        </div>
        <div
          role="feed"
          aria-label={i18n._('Activity')}
          aria-busy={isFetching}
          className={pageStyles.list}
          tabIndex={-1}
        >
          {rows.map(({ row }) => row)}
        </div>
        {isLoading ? <LoadingActivity isOffline={offline} /> : null}
        {value && rows.length === 0 && !more ? <Empty filter={filter} onAll={() => change('all')} /> : null}
        {failure && !isLoading ? <LoadError text={failure.message} onRetry={retry} /> : null}
        {more && !failure ? (
          <div ref={end} className={pageStyles.more}>
            <Button variant="quiet" busy={isFetching} onClick={more}>
              {i18n._('Show more')}
            </Button>
          </div>
        ) : null}
      </div>
    </section>
  )
}

/** Displays a skeleton, or an explanation without a network. */
function LoadingActivity({ isOffline }: { isOffline: boolean }) {
  if (!isOffline) return <Skeleton label={i18n._('Loading your activity')} rows={6} />
  return (
    <p className={paneStyles.error} role="status">
      {i18n._('You’re offline. Your activity will appear when you reconnect.')}
    </p>
  )
}

function emptyText(filter: ActivityFilter): string {
  if (filter === 'mentions')
    return i18n._(
      'When someone mentions you, or everyone in one of your channels, the message shows up here.',
    )
  if (filter === 'reactions') return i18n._('Reactions to your messages show up here.')
  if (filter === 'replies') return i18n._('Replies in threads you follow show up here.')
  return i18n._(
    'Mentions, reactions to your messages, replies in threads you follow and reminders that are due show up here.',
  )
}

function Empty({ filter, onAll }: { filter: ActivityFilter; onAll: () => void }) {
  return (
    <EmptyState title={i18n._('Nothing here yet')} text={emptyText(filter)}>
      {filter === 'all' ? null : <Button onClick={onAll}>{i18n._('Show all activity')}</Button>}
    </EmptyState>
  )
}
