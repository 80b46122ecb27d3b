import { useEffect } from 'react'
import type { ActivityEntry, ActivityFilter } from '../../../wire/activity.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Timestamp } from '../../../wire/scalars.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { withOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { usePagedQuery, type Pages } from '../queries/pagedQuery.ts'
import { activityList, markActivitySeen } from './activityList.ts'

/** What concerns the user, newest first. Reactions are marked as seen once the page that shows them is visible. */
export function useActivity(filter: ActivityFilter): Pages<ActivityEntry, { seen_at: Timestamp }> {
  const pages = usePagedQuery(activityList, [filter], { keepsPrevious: false })
  const newest = pages.value?.find(({ kind }) => kind === 'reaction')?.at
  const seenAt = pages.summary?.seen_at
  useEffect(() => {
    if (newest === undefined || seenAt === undefined || Date.parse(newest) <= Date.parse(seenAt)) return
    const markIfVisible = () => {
      if (!document.hidden) markActivitySeen(newest)
    }
    markIfVisible()
    document.addEventListener('visibilitychange', markIfVisible)
    return () => document.removeEventListener('visibilitychange', markIfVisible)
  }, [newest, seenAt])
  return pages
}

/** The message as it is loaded, with pending changes; else as it was fetched. */
export function useLatestMessage(fetched: Message): Message {
  return useClientSession((session) =>
    withOptimisticUpdates(
      session?.store.get().channels.get(fetched.channel_id)?.messages.get(fetched.id) ?? fetched,
    ),
  )
}
