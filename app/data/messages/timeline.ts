import type { Message } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import { getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import type { OutboxItem } from '../mutations/outbox.ts'
import { historyStart } from '../store/state.ts'
import type { ChannelRows } from '../store/state.ts'
import { hasAfter, hasBefore, loadedWindow } from '../sync/channelViews.ts'
import type { ChannelView } from '../sync/channelViews.ts'
import { pendingItems, itemsInRange, statusOf } from './timelineItems.ts'
import type { TimelineItem } from './timelineItems.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

export type { PendingFile, PendingMessage } from './pendingMessage.ts'
export type { TimelineItem } from './timelineItems.ts'

interface TimelineState {
  items: readonly TimelineItem[]
  /** The lowest seq of what is loaded here without a hole; 0 while nothing is. */
  from: number
  /** The lowest seq that one may read. */
  first: number
  hasBefore: boolean
  hasAfter: boolean
  /** `loading`: nothing to show yet. `ready`: items are messages (perhaps cached). */
  status: 'loading' | 'ready' | 'failed'
  failure: Failure | null
}

export interface Timeline extends TimelineState {
  /** Where the "new" line stands: before the first item of this seq or higher; null: no line. */
  firstUnreadSeq: number | null
  loadBefore: () => void
  loadAfter: () => void
  /** Shows the words around a seq, or the newest with 'end'. */
  jumpTo: (seq: number | 'end') => void
}

const LOADING: TimelineState = {
  items: [],
  from: 0,
  first: 1,
  hasBefore: false,
  hasAfter: false,
  status: 'loading',
  failure: null,
}

const shownOf = memoizeByKey(
  (
    before: TimelineState | undefined,
    channelId: Uuid,
    rows: ChannelRows | undefined,
    view: ChannelView,
    waiting: readonly OutboxItem[],
    awaitingEcho: readonly Message[],
    _overlayVersion: number,
  ): TimelineState => {
    const window = rows ? loadedWindow(rows, view.anchor) : null
    // On the way to words that are not loaded, those one comes from stay.
    if (before?.status === 'ready' && rows?.windows.length && !window && !view.failure) return before
    if (!rows || !window) return { ...LOADING, status: statusOf(false, view), failure: view.failure }
    const items = itemsInRange(rows, window, rows.bySeq)
    const after = hasAfter(rows, window)
    // Amid old messages one's own new ones have no place; while the end catches up they do.
    if (!after || (view.anchor === 'end' && window === rows.windows.at(-1))) {
      const here = (message: { threadRoot: Uuid | null; alsoToChannel: boolean; channel: Uuid }) =>
        message.channel === channelId && (message.threadRoot === null || message.alsoToChannel)
      const awaitingHere = awaitingEcho.filter(
        (message) => message.channel_id === channelId && message.seq !== null,
      )
      items.push(
        ...pendingItems(before?.items, waiting.filter(here), awaitingHere, (id) => rows.messages.has(id)),
      )
    }
    return reuseIfEqual(before, {
      items: reuseIfEqual(before?.items, items),
      from: window.from,
      first: rows.first ?? historyStart(rows.entry),
      hasBefore: hasBefore(rows, window),
      hasAfter: after,
      status: statusOf(true, view),
      failure: view.failure,
    })
  },
  40,
)

function selectTimeline(now: ClientSession | null, channelId: Uuid): TimelineState {
  if (!now) return LOADING
  const rows = now.store.get().channels.get(channelId)
  const { outbox } = now
  return shownOf(
    channelId,
    channelId,
    rows,
    now.channelViews.get(channelId),
    outbox.items(),
    outbox.awaitingEcho(),
    now.overlayVersion(),
  )
}

/** The conversation's words, opened at the newest page, or around the first unread. */
export function useTimeline(channelId: Uuid): Timeline {
  const shown = useClientSession((now) => selectTimeline(now, channelId))
  const firstUnreadSeq = useClientSession((now) => now?.channelViews.get(channelId).unreadLine ?? null)
  return {
    ...shown,
    firstUnreadSeq,
    loadBefore: () => getClientSession()?.channelViews.loadBefore(channelId),
    loadAfter: () => getClientSession()?.channelViews.loadAfter(channelId),
    jumpTo: (seq) => getClientSession()?.channelViews.jumpTo(channelId, seq),
  }
}
