import type { Uuid } from '../../../wire/linnet.ts'
import { running } from '../session/clientSession.ts'
import { remembered, steady } from '../hooks/memoize.ts'
import { unreadOf } from '../store/unreadCounts.ts'
import type { ChannelRows, State } from '../store/state.ts'
import { useRunning } from '../hooks/useClientSession.ts'

export interface Reading {
  /** Everything up to this seq has been read, here or elsewhere. */
  readTo: number
  /** How much after it has not; at most 100, which is shown as "99+". */
  unread: number
}

const NOTHING: Reading = { readTo: 0, unread: 0 }

const readingOf = remembered(
  (
    before: Reading | undefined,
    rows: ChannelRows,
    seen: number,
    lowered: number | null,
    me: State['me'],
  ): Reading =>
    steady(before, {
      readTo: lowered ?? Math.max(rows.entry.state.last_read_seq, seen),
      unread: unreadOf(rows, me?.profile.id ?? null, seen, lowered).unread,
    }),
)

/** How far a conversation has been read. */
export function useReading(channelId: Uuid): Reading {
  return useRunning((now) => {
    const state = now?.store.get()
    const rows = state?.channels.get(channelId)
    if (!now || !state || !rows) return NOTHING
    const { pendingReadSeq, pendingUnreadSeq } = now.pointers
    return readingOf(channelId, rows, pendingReadSeq(channelId), pendingUnreadSeq(channelId), state.me)
  })
}

/** Words came while nobody looked: the "new" line stands before them, unless it stands before others still unread. */
export function drawLine(channelId: Uuid): void {
  const now = running()
  now?.views.updateUnreadLine(channelId, now.pointers.pendingReadSeq(channelId))
}

/** Where the reader stands in a conversation, to come back to; null: at its end. */
export function keepPlace(channelId: Uuid, seq: number | null): void {
  running()?.views.saveScrollPosition(channelId, seq)
}

/** Everything in the conversation counts as read, by the reader's own word. */
export function markAllRead(channelId: Uuid): void {
  const now = running()
  const rows = now?.store.get().channels.get(channelId)
  if (!now || !rows) return
  now.pointers.resumeReading(channelId)
  now.pointers.markSeen(channelId, rows.entry.counters.last_seq)
  now.views.setUnreadLine(channelId, null)
}
