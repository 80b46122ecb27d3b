import type { Uuid } from '../../../wire/scalars.ts'
import { getClientSession } from '../session/clientSession.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import { readerOf } from '../store/reader.ts'
import { unreadOf } from '../store/unreadCounts.ts'
import type { ChannelRows, State } from '../store/state.ts'
import type { ScrollPosition } from '../sync/timelineViews.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

export type { ScrollPosition } from '../sync/timelineViews.ts'

export interface ReadPosition {
  /** Messages up to this seq have been read, here or on another device. */
  readTo: number
  /** Number of unread messages after it; at most 100, which is shown as "99+". */
  unread: number
}

const NOTHING: ReadPosition = { readTo: 0, unread: 0 }

const readPositionOf = memoizeByKey(
  (
    before: ReadPosition | undefined,
    rows: ChannelRows,
    seen: number,
    lowered: number | null,
    me: State['me'],
    userGroups: State['userGroups'],
  ): ReadPosition =>
    reuseIfEqual(before, {
      readTo: lowered ?? Math.max(rows.entry.state.last_read_seq, seen),
      unread: unreadOf(rows, readerOf({ me, userGroups }), seen, lowered).unread,
    }),
)

/** The read marker and unread count of a conversation, with pending changes. */
export function useReadPosition(channelId: Uuid): ReadPosition {
  return useClientSession((session) => {
    const state = session?.store.get()
    const rows = state?.channels.get(channelId)
    if (!session || !state || !rows) return NOTHING
    const { pendingReadSeq, pendingUnreadSeq } = session.readMarkers
    const [seen, lowered] = [pendingReadSeq(channelId), pendingUnreadSeq(channelId)]
    return readPositionOf(channelId, rows, seen, lowered, state.me, state.userGroups)
  })
}

/** Messages arrived while nobody was looking: shows the "new" line above them, unless it is above unread ones already. */
export function updateUnreadLine(channelId: Uuid): void {
  getClientSession()?.timelineViews.updateUnreadLine({ channel: channelId, root: null })
}

/** The current or last scroll position of a channel or a thread, by its id or root; null: at its end. */
export function savedScrollPosition(key: Uuid): ScrollPosition | null {
  return getClientSession()?.timelineViews.scrollPosition(key) ?? null
}

/** Stores the scroll position of a channel or a thread for the next opening; null: at its end. */
export function saveScrollPosition(key: Uuid, position: ScrollPosition | null): void {
  getClientSession()?.timelineViews.saveScrollPosition(key, position)
}

/** The reader marks all messages of a conversation as read. */
export function markAllRead(channelId: Uuid): void {
  const session = getClientSession()
  const rows = session?.store.get().channels.get(channelId)
  if (!session || !rows) return
  session.readMarkers.resumeReading(channelId)
  session.readMarkers.markSeen(channelId, rows.entry.counters.last_seq)
  session.timelineViews.setUnreadLine({ channel: channelId, root: null }, null)
}
