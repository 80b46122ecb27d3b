import { useEffect } from 'react'
import type { Message, Uuid } from '../../wire/linnet.ts'
import type { Failure } from './failures.ts'
import { withWishes } from './reactions.ts'
import { running } from './runtime.ts'
import { remembered, steady } from './steady.ts'
import type { OutboxItem } from './sync/outbox.ts'
import type { ChannelRows, State } from './sync/state.ts'
import type { ThreadView } from './sync/threadViews.ts'
import { pendingItems, rowsIn, statusOf } from './timelineItems.ts'
import type { TimelineItem } from './timelineItems.ts'
import { useRunning } from './useRunning.ts'

export interface Thread {
  root: Message | null
  /** Replies ascending, without the root; pending ones at the end. */
  items: readonly TimelineItem[]
  hasBefore: boolean
  status: 'loading' | 'ready' | 'failed'
  failure: Failure | null
  loadBefore: () => void
}

type Shown = Omit<Thread, 'loadBefore'>

const threadOf = remembered(
  (
    before: Shown | undefined,
    rootId: Uuid,
    rows: ChannelRows | undefined,
    view: ThreadView,
    waiting: readonly OutboxItem[],
    landed: readonly Message[],
    _wishes: number,
  ): Shown => {
    const thread = rows?.threads.get(rootId)
    const held = rows?.messages.get(rootId)
    const root = held ? withWishes(held) : null
    if (!rows || !thread) {
      return { root, items: [], hasBefore: false, status: statusOf(false, view), failure: view.failure }
    }
    const window = thread.windows.at(-1)
    const items = window ? rowsIn(rows, window, thread.byNumber) : []
    const replies = landed.filter((message) => message.thread_root === rootId)
    const mine = waiting.filter((item) => item.threadRoot === rootId)
    items.push(...pendingItems(before?.items, mine, replies, (id) => rows.messages.has(id)))
    return steady(before, {
      root,
      items: steady(before?.items, items),
      hasBefore: window !== undefined && window.from > (thread.first ?? 1),
      status: statusOf(true, view),
      failure: view.failure,
    })
  },
  20,
)

/** A thread's replies, newest page first. */
export function useThread(channelId: Uuid, rootId: Uuid): Thread {
  const shown = useRunning((now) => {
    if (!now) return threadOf('', rootId, undefined, NO_VIEW, NOTHING, NO_MESSAGES, 0)
    const rows = now.store.get().channels.get(channelId)
    const { outbox } = now
    return threadOf(
      rootId,
      rootId,
      rows,
      now.threads.get(rootId),
      outbox.items(),
      outbox.landed(),
      now.wishes(),
    )
  })
  const missing = useRunning((now) => {
    const rows = now?.store.get().channels.get(channelId)
    return rows !== undefined && !rows.threads.has(rootId)
  })
  useEffect(() => {
    // Also after a reset, which lets go of threads.
    if (missing) running()?.threads.open(channelId, rootId)
  }, [missing, channelId, rootId])
  return {
    ...shown,
    loadBefore: () => running()?.threads.loadBefore(channelId, rootId),
  }
}

export interface ThreadTotals {
  /** How many threads that one follows have replies one has not read. */
  unread: number
  /** How many of those replies call the reader. */
  mentions: number
}

const NONE: ThreadTotals = { unread: 0, mentions: 0 }

const totalsOf = remembered((before: ThreadTotals | undefined, threads: State['threads']): ThreadTotals => {
  let unread = 0
  let mentions = 0
  for (const { follows, counts } of threads.values()) {
    if (!follows || counts.unread === 0) continue
    unread += 1
    mentions += counts.mentions
  }
  return steady(before, { unread, mentions })
})

/** What waits in the threads that one follows, for the sidebar. */
export function useThreadTotals(): ThreadTotals {
  return useRunning((now) => (now ? totalsOf('totals', now.store.get().threads) : NONE))
}

const NO_VIEW: ThreadView = { loading: false, failure: null }
const NOTHING: readonly OutboxItem[] = []
const NO_MESSAGES: readonly Message[] = []
