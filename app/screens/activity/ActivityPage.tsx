import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import { changeEntryState, readEntryState } from '../../historyState.ts'
import { ACTIVITY_FILTERS, type ActivityFilter } from '../../../wire/activity.ts'
import type { Timestamp } from '../../../wire/scalars.ts'
import { groupActivity } from '../../data/activity/groupActivity.ts'
import { useActivity } from '../../data/activity/useActivity.ts'
import { useReminders } from '../../data/messages/reminders.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Feed } from '../../features/parts/lists/ListEnd.tsx'
import { useFilters } from '../../features/parts/lists/useFilters.ts'
import { Button } from '../../ui/Button.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { ListPage } from '../../shell/ListPage.tsx'
import { ActivityRow } from './ActivityRow.tsx'
import { ReminderRow } from './ReminderRow.tsx'

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
  const { values, change } = useFilters({ show: ACTIVITY_FILTERS })
  const filter = values.show
  const activity = useActivity(filter)
  const items = groupActivity(activity.value ?? [])
  const seenAt = useSeenAt(activity.summary?.seen_at ?? null)
  const reminders = useReminders()
  // Older entries than the listed ones follow with the next page.
  const until = activity.more ? Date.parse(items.at(-1)?.at ?? '') : -Infinity
  const rows = [
    ...items.map((item) => ({
      at: item.at,
      row: <ActivityRow key={item.key} item={item} seenAt={seenAt} />,
    })),
    ...(filter === 'all' && activity.value ? reminders : []).flatMap((reminder) => {
      const { id, reminded_at: at } = reminder
      if (at === null || !(Date.parse(at) >= until)) return []
      return [{ at, row: <ReminderRow key={id} reminder={reminder} at={at} /> }]
    }),
  ].sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
  return (
    <ListPage
      title={i18n._('Activity')}
      back={null}
      list={`activity ${filter}`}
      isReady={items.length > 0}
      top={
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
          onChange={(show) => change({ show })}
        />
      }
    >
      <Feed
        label={i18n._('Activity')}
        list={{ ...activity, value: activity.value && rows }}
        loading={i18n._('Loading your activity')}
        offline={i18n._('You’re offline. Your activity will appear when you reconnect.')}
        empty={
          <EmptyState title={i18n._('Nothing here yet')} text={emptyText(filter)}>
            {filter === 'all' ? null : (
              <Button onClick={() => change({ show: 'all' })}>{i18n._('Show all activity')}</Button>
            )}
          </EmptyState>
        }
      >
        {rows.map(({ row }) => row)}
      </Feed>
    </ListPage>
  )
}

function emptyText(filter: ActivityFilter): string {
  if (filter === 'mentions')
    return i18n._('Messages that mention you, or everyone in one of your channels, show up here.')
  if (filter === 'reactions') return i18n._('Reactions to your messages show up here.')
  if (filter === 'replies') return i18n._('Replies in threads you follow show up here.')
  return i18n._(
    'Mentions, reactions to your messages, replies in threads you follow and reminders that are due show up here.',
  )
}
