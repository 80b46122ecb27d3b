import { useEffect } from 'react'
import type { Message, Uuid } from '../../wire/linnet.ts'
import type { Failure } from './failures.ts'
import { pendingMessage } from './pending.ts'
import type { PendingMessage } from './pending.ts'
import { withWishes } from './reactions.ts'
import { running } from './runtime.ts'
import type { Running } from './runtime.ts'
import { remembered, steady } from './steady.ts'
import type { OutboxItem } from './sync/outbox.ts'
import type { Range } from './sync/ranges.ts'
import type { ChannelRows } from './sync/state.ts'
import { hasAfter, hasBefore, windowOf } from './sync/views.ts'
import type { View } from './sync/views.ts'
import { useRunning } from './useRunning.ts'

export type { PendingFile, PendingMessage } from './pending.ts'

/** The id is the same before and after, so it serves as the key of the row. */
export type TimelineItem =
  | { kind: 'message'; id: Uuid; message: Message }
  | { kind: 'pending'; id: Uuid; message: PendingMessage }

interface Shown {
  items: readonly TimelineItem[]
  hasBefore: boolean
  hasAfter: boolean
  /** `loading`: nothing to show yet. `ready`: items are words (perhaps cached). */
  status: 'loading' | 'ready' | 'failed'
  failure: Failure | null
}

export interface Timeline extends Shown {
  /** Where the "new" line stands: before the first item of this seq or higher; null: no line. */
  firstUnreadSeq: number | null
  loadBefore: () => void
  loadAfter: () => void
  /** Shows the words around a seq, or the newest with 'end'. */
  jumpTo: (seq: number | 'end') => void
}

export interface Thread {
  root: Message | null
  /** Replies ascending, without the root; pending ones at the end. */
  items: readonly TimelineItem[]
  hasBefore: boolean
  status: 'loading' | 'ready' | 'failed'
  failure: Failure | null
  loadBefore: () => void
}

const itemsOfMessages = new WeakMap<Message, TimelineItem>()

function messageItem(message: Message): TimelineItem {
  const known = itemsOfMessages.get(message)
  if (known) return known
  const item: TimelineItem = { kind: 'message', id: message.id, message }
  itemsOfMessages.set(message, item)
  return item
}

function pendingItems(
  before: readonly TimelineItem[] | undefined,
  waiting: readonly OutboxItem[],
  landed: readonly Message[],
  isHeld: (id: Uuid) => boolean,
): TimelineItem[] {
  const sent = landed.filter((message) => !isHeld(message.id)).map(messageItem)
  const pending = waiting
    .filter((item) => !isHeld(item.id) && !landed.some((message) => message.id === item.id))
    .map((item): TimelineItem => {
      const known = before?.find((one) => one.id === item.id && one.kind === 'pending')
      const message = pendingMessage(item)
      if (known?.kind === 'pending' && known.message === message) return known
      return { kind: 'pending', id: item.id, message }
    })
  return [...sent, ...pending]
}

function rowsIn(rows: ChannelRows, window: Range, index: ReadonlyMap<number, Uuid>): TimelineItem[] {
  const items: TimelineItem[] = []
  for (let number = window.from; number <= window.to; number += 1) {
    const message = rows.messages.get(index.get(number) ?? '')
    if (message) items.push(messageItem(withWishes(message)))
  }
  return items
}

const LOADING: Shown = { items: [], hasBefore: false, hasAfter: false, status: 'loading', failure: null }

function statusOf(shows: boolean, view: View): 'loading' | 'ready' | 'failed' {
  if (shows) return 'ready'
  return view.failure && !view.loading ? 'failed' : 'loading'
}

const shownOf = remembered(
  (
    before: Shown | undefined,
    channelId: Uuid,
    rows: ChannelRows | undefined,
    view: View,
    waiting: readonly OutboxItem[],
    landed: readonly Message[],
    _wishes: number,
  ): Shown => {
    const window = rows ? windowOf(rows, view.anchor) : null
    if (!rows || !window) return { ...LOADING, status: statusOf(false, view), failure: view.failure }
    const items = rowsIn(rows, window, rows.bySeq)
    const after = hasAfter(rows, window)
    // Amid old words one's own new ones have no place; while the end catches up they do.
    if (!after || (view.anchor === 'end' && window === rows.windows.at(-1))) {
      const here = (message: { threadRoot: Uuid | null; alsoToChannel: boolean; channel: Uuid }) =>
        message.channel === channelId && (message.threadRoot === null || message.alsoToChannel)
      const landedHere = landed.filter((message) => message.channel_id === channelId && message.seq !== null)
      items.push(
        ...pendingItems(before?.items, waiting.filter(here), landedHere, (id) => rows.messages.has(id)),
      )
    }
    return steady(before, {
      items: steady(before?.items, items),
      hasBefore: hasBefore(rows, window),
      hasAfter: after,
      status: statusOf(true, view),
      failure: view.failure,
    })
  },
  40,
)

function selectShown(now: Running | null, channelId: Uuid): Shown {
  if (!now) return LOADING
  const rows = now.store.get().channels.get(channelId)
  const { outbox } = now
  return shownOf(
    channelId,
    channelId,
    rows,
    now.views.get(channelId),
    outbox.items(),
    outbox.landed(),
    now.wishes(),
  )
}

/** The conversation's words, opened at the newest page, or around the first unread. */
export function useTimeline(channelId: Uuid): Timeline {
  const shown = useRunning((now) => selectShown(now, channelId))
  const firstUnreadSeq = useRunning((now) => now?.views.get(channelId).line ?? null)
  return {
    ...shown,
    firstUnreadSeq,
    loadBefore: () => running()?.views.loadBefore(channelId),
    loadAfter: () => running()?.views.loadAfter(channelId),
    jumpTo: (seq) => running()?.views.jumpTo(channelId, seq),
  }
}

const threadOf = remembered(
  (
    before: (Shown & { root: Message | null }) | undefined,
    rootId: Uuid,
    rows: ChannelRows | undefined,
    view: View,
    waiting: readonly OutboxItem[],
    landed: readonly Message[],
    _wishes: number,
  ) => {
    const thread = rows?.threads.get(rootId)
    const held = rows?.messages.get(rootId)
    const root = held ? withWishes(held) : null
    if (!rows || !thread) {
      return { ...LOADING, root, status: statusOf(false, view), failure: view.failure }
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
      hasAfter: false,
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
      now.views.get(rootId),
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
    if (missing) running()?.views.openThread(channelId, rootId)
  }, [missing, channelId, rootId])
  return {
    root: shown.root,
    items: shown.items,
    hasBefore: shown.hasBefore,
    status: shown.status,
    failure: shown.failure,
    loadBefore: () => running()?.views.loadThreadBefore(channelId, rootId),
  }
}

const NO_VIEW: View = { anchor: 'end', line: null, loading: false, failure: null }
const NOTHING: readonly OutboxItem[] = []
const NO_MESSAGES: readonly Message[] = []
