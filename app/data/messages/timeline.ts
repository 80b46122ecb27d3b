import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import { getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import type { OutboxItem } from '../mutations/outbox.ts'
import { firstNumber, hasAfter, hasBefore, loadedWindow, numberIn, timelineOf } from '../store/state.ts'
import type { ChannelRows, TimelineAddress } from '../store/state.ts'
import type { TimelineView } from '../sync/timelineViews.ts'
import { pendingItems, itemsInRange, statusOf } from './timelineItems.ts'
import type { TimelineItem } from './timelineItems.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

export type { PendingFile, PendingMessage } from './pendingMessage.ts'
export type { TimelineItem } from './timelineItems.ts'

/** Messages of a channel, numbered by `seq`, or replies of a thread, numbered by `thread_seq`. */
export interface TimelineState {
  /** Ascending; own pending messages at the end. */
  items: readonly TimelineItem[]
  /** The lowest number of the loaded range; 0 while nothing is loaded. */
  from: number
  /** The lowest number that the reader may read. */
  first: number
  hasBefore: boolean
  hasAfter: boolean
  /** `loading`: nothing to show yet. `ready`: items are messages (perhaps cached). */
  status: 'loading' | 'ready' | 'failed'
  failure: Failure | null
}

export interface Timeline extends TimelineState {
  /** The "new" line is above the first item of this number or a higher one; null: no line. */
  firstUnread: number | null
  loadBefore: () => void
  loadAfter: () => void
  /** Shows the messages around a number, or the newest with 'end'. */
  jumpTo: (number: number | 'end') => void
  /** The reader has moved: the position no longer follows from what is unread. */
  onMoved: () => void
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

const stateOf = memoizeByKey(
  (
    before: TimelineState | undefined,
    channel: Uuid,
    root: Uuid | null,
    rows: ChannelRows | undefined,
    view: TimelineView,
    waiting: readonly OutboxItem[],
    unplacedMessages: readonly Message[],
    _optimisticVersion: number,
  ): TimelineState => {
    const timeline = rows && timelineOf(rows, root)
    const window = rows ? loadedWindow(rows, root, view.anchor) : null
    // Until messages of a jump are loaded, the previous ones stay.
    if (before?.status === 'ready' && timeline?.windows.length && !window && !view.failure) return before
    if (!rows || !timeline || !window)
      return { ...LOADING, status: statusOf(false, view), failure: view.failure }
    const items = itemsInRange(rows, window, timeline.byNumber)
    const after = hasAfter(rows, root, window)
    // Own pending messages follow the newest one: they are not shown after older ones, unless the end is being fetched.
    if (!after || view.anchor === 'end') {
      const pending = waiting.filter(
        (item) =>
          item.channel === channel && (item.threadRoot === root || (root === null && item.alsoToChannel)),
      )
      const accepted = unplacedMessages.filter(
        (message) =>
          message.channel_id === channel &&
          (root === null || message.thread_root === root) &&
          numberIn(message, root) !== null,
      )
      items.push(...pendingItems(before?.items, pending, accepted, (id) => rows.messages.has(id)))
    }
    return reuseIfEqual(before, {
      items: reuseIfEqual(before?.items, items),
      from: window.from,
      first: firstNumber(rows, root),
      hasBefore: hasBefore(rows, root, window),
      hasAfter: after,
      status: statusOf(true, view),
      failure: view.failure,
    })
  },
  100,
)

function selectTimeline(session: ClientSession | null, at: TimelineAddress): TimelineState {
  if (!session) return LOADING
  const rows = session.store.get().channels.get(at.channel)
  const { outbox, timelineViews } = session
  const key = at.root ?? at.channel
  const view = timelineViews.get(at)
  return stateOf(
    key,
    at.channel,
    at.root,
    rows,
    view,
    outbox.items(),
    outbox.unplacedMessages(),
    session.optimisticVersion(),
  )
}

/** What is loaded of a timeline; requests nothing. */
export function useTimelineState(channel: Uuid, root: Uuid | null): TimelineState {
  return useClientSession((session) => selectTimeline(session, { channel, root }))
}

/** The timeline of a channel that is open (`openChannel`), or of an open thread. */
export function useTimeline(channel: Uuid, root: Uuid | null = null): Timeline {
  const state = useTimelineState(channel, root)
  const line = useClientSession((session) => session?.timelineViews.get({ channel, root }).unreadLine ?? null)
  const at = { channel, root }
  return {
    ...state,
    // Above the loaded range, the line would be shown at the wrong message.
    firstUnread: line !== null && line < state.from && state.hasBefore ? null : line,
    loadBefore: () => getClientSession()?.timelineViews.loadBefore(at),
    loadAfter: () => getClientSession()?.timelineViews.loadAfter(at),
    jumpTo: (number) => getClientSession()?.timelineViews.jumpTo(at, number),
    onMoved: () => getClientSession()?.timelineViews.markPlaced(at),
  }
}
