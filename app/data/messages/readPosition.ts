import type { Uuid } from '../../../wire/scalars.ts'
import { getClientSession } from '../session/clientSession.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import { unreadOf } from '../store/unreadCounts.ts'
import type { ChannelRows, State } from '../store/state.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

export interface ReadPosition {
  /** Everything up to this seq has been read, here or elsewhere. */
  readTo: number
  /** How much after it has not; at most 100, which is shown as "99+". */
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
  ): ReadPosition =>
    reuseIfEqual(before, {
      readTo: lowered ?? Math.max(rows.entry.state.last_read_seq, seen),
      unread: unreadOf(rows, me?.profile.id ?? null, seen, lowered).unread,
    }),
)

/** How far a conversation has been read. */
export function useReadPosition(channelId: Uuid): ReadPosition {
  return useClientSession((now) => {
    const state = now?.store.get()
    const rows = state?.channels.get(channelId)
    if (!now || !state || !rows) return NOTHING
    const { pendingReadSeq, pendingUnreadSeq } = now.readMarkers
    return readPositionOf(channelId, rows, pendingReadSeq(channelId), pendingUnreadSeq(channelId), state.me)
  })
}

/** Words came while nobody looked: the "new" line stands before them, unless it stands before others still unread. */
export function updateUnreadLine(channelId: Uuid): void {
  getClientSession()?.timelineViews.updateUnreadLine({ channel: channelId, root: null })
}

/** Where the reader stands in a conversation, to come back to; null: at its end. */
export function storeScrollPosition(channelId: Uuid, seq: number | null): void {
  getClientSession()?.timelineViews.saveScrollPosition({ channel: channelId, root: null }, seq)
}

/** Everything in the conversation counts as read, by the reader's own word. */
export function markAllRead(channelId: Uuid): void {
  const now = getClientSession()
  const rows = now?.store.get().channels.get(channelId)
  if (!now || !rows) return
  now.readMarkers.resumeReading(channelId)
  now.readMarkers.markSeen(channelId, rows.entry.counters.last_seq)
  now.timelineViews.setUnreadLine({ channel: channelId, root: null }, null)
}
