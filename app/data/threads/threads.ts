import { useEffect } from 'react'
import type { Message } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import { withOverlay } from '../mutations/currentOverlay.ts'
import { getClientSession } from '../session/clientSession.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import type { OutboxItem } from '../mutations/outbox.ts'
import type { ChannelRows } from '../store/state.ts'
import { hasRepliesAfter, loadedThreadWindow } from '../sync/threadViews.ts'
import type { ThreadView } from '../sync/threadViews.ts'
import { pendingItems, itemsInRange, statusOf } from '../messages/timelineItems.ts'
import type { TimelineItem } from '../messages/timelineItems.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

export interface Thread {
  root: Message | null
  /** Replies ascending, without the root; pending ones at the end. */
  items: readonly TimelineItem[]
  /** The lowest `thread_seq` of what is loaded here without a hole; 0 while nothing is. */
  from: number
  hasBefore: boolean
  hasAfter: boolean
  status: 'loading' | 'ready' | 'failed'
  failure: Failure | null
}

export interface OpenThread extends Thread {
  /** Where the "new" line stands: above the first reply of this `thread_seq` or higher; null: no line. */
  firstUnread: number | null
  loadBefore: () => void
  loadAfter: () => void
  /** Shows the replies around a `thread_seq`, or the newest with 'end'. */
  jumpTo: (at: number | 'end') => void
}

const threadOf = memoizeByKey(
  (
    before: Thread | undefined,
    rootId: Uuid,
    rows: ChannelRows | undefined,
    view: ThreadView,
    waiting: readonly OutboxItem[],
    awaitingEcho: readonly Message[],
    _overlayVersion: number,
  ): Thread => {
    const thread = rows?.threads.get(rootId)
    const loaded = rows?.messages.get(rootId)
    const root = loaded ? withOverlay(loaded) : null
    const window = thread ? loadedThreadWindow(thread, view.anchor) : null
    if (!rows || !thread || !window) {
      const status = statusOf(false, view)
      return { root, items: [], from: 0, hasBefore: false, hasAfter: false, status, failure: view.failure }
    }
    const items = itemsInRange(rows, window, thread.byNumber)
    const hasAfter = hasRepliesAfter(rows, rootId, window)
    // Amid old replies one's own new ones have no place; while the end catches up they do.
    if (!hasAfter || view.anchor === 'end') {
      const replies = awaitingEcho.filter((message) => message.thread_root === rootId)
      const mine = waiting.filter((item) => item.threadRoot === rootId)
      items.push(...pendingItems(before?.items, mine, replies, (id) => rows.messages.has(id)))
    }
    return reuseIfEqual(before, {
      root,
      items: reuseIfEqual(before?.items, items),
      from: window.from,
      hasBefore: window.from > (thread.first ?? 1),
      hasAfter,
      status: statusOf(true, view),
      failure: view.failure,
    })
  },
  60,
)

const NO_VIEW: ThreadView = { anchor: 'end', unreadLine: null, loading: false, failure: null }
const NOTHING: readonly OutboxItem[] = []
const NO_MESSAGES: readonly Message[] = []

/** What is loaded of a thread, without asking for more. */
function useLoadedThread(channelId: Uuid, rootId: Uuid): Thread {
  return useClientSession((now) => {
    if (!now) return threadOf('', rootId, undefined, NO_VIEW, NOTHING, NO_MESSAGES, 0)
    const rows = now.store.get().channels.get(channelId)
    const { outbox } = now
    const view = now.threadViews.get(rootId)
    return threadOf(rootId, rootId, rows, view, outbox.items(), outbox.awaitingEcho(), now.overlayVersion())
  })
}

/** The last replies of a thread; fetched where they aren't loaded (any more). */
export function useThreadEnd(channelId: Uuid, rootId: Uuid): Thread {
  const shown = useLoadedThread(channelId, rootId)
  const missing = shown.status === 'loading'
  useEffect(() => {
    if (missing) getClientSession()?.threadViews.fetchMissing(channelId, rootId)
  }, [missing, channelId, rootId])
  return shown
}

/** A thread in front: it opens at the first unread reply, or at the one asked for (`at`, a `thread_seq`). */
export function useThread(channelId: Uuid, rootId: Uuid, at: number | null): OpenThread {
  const shown = useLoadedThread(channelId, rootId)
  const firstUnread = useClientSession((now) => now?.threadViews.get(rootId).unreadLine ?? null)
  const known = useClientSession((now) => now?.store.get().channels.has(channelId) === true)
  const loaded = useClientSession(
    (now) => now?.store.get().channels.get(channelId)?.threads.has(rootId) === true,
  )
  useEffect(() => {
    if (!known) return
    getClientSession()?.threadViews.open(channelId, rootId, at)
    return () => getClientSession()?.threadViews.close(rootId)
  }, [known, channelId, rootId, at])
  useEffect(() => {
    // A reset evicts threads.
    if (known && !loaded) getClientSession()?.threadViews.fetchMissing(channelId, rootId)
  }, [known, loaded, channelId, rootId])
  return {
    ...shown,
    firstUnread,
    loadBefore: () => getClientSession()?.threadViews.loadBefore(channelId, rootId),
    loadAfter: () => getClientSession()?.threadViews.loadAfter(channelId, rootId),
    jumpTo: (to) => getClientSession()?.threadViews.jumpTo(channelId, rootId, to),
  }
}
