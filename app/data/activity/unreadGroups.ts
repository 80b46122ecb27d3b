import { useState } from 'react'
import { isChannel } from '../../../wire/channels.ts'
import type { ThreadState } from '../../../wire/threads.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { sidebarItems } from '../channels/channels.ts'
import type { SidebarItem } from '../channels/channels.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { withOptimisticThreadUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import type { State } from '../store/state.ts'

/** A conversation, or a thread (`rootId`), with unread messages. */
export interface UnreadGroup {
  /** The channel, or the root of the thread. */
  key: Uuid
  channelId: Uuid
  rootId: Uuid | null
  unread: number
  mentions: number
}

type Conversation = Pick<
  SidebarItem,
  'id' | 'kind' | 'unread' | 'mentions' | 'muted' | 'starred' | 'archived' | 'lastMessageAt'
>

/**
 * Conversations and followed threads with unread messages: those with mentions first, then starred ones, direct
 * messages, channels and threads, the latest first. Muted and archived conversations only where the reader is mentioned.
 */
export function buildUnreadGroups(
  items: readonly Conversation[],
  threads: readonly ThreadState[],
): UnreadGroup[] {
  const ranked = [
    ...items
      .filter((item) => item.mentions > 0 || (item.unread > 0 && !item.muted && !item.archived))
      .map((item) => ({
        group: { ...countsOf(item), key: item.id, channelId: item.id, rootId: null },
        rank: rankOf(item),
        at: item.lastMessageAt ?? '',
      })),
    ...threads
      .filter(({ follows, counts }) => follows && counts.unread > 0)
      .map((thread) => ({
        group: {
          ...countsOf(thread.counts),
          key: thread.root_id,
          channelId: thread.channel_id,
          rootId: thread.root_id,
        },
        rank: thread.counts.mentions > 0 ? 0 : 4,
        at: thread.last_reply_at ?? '',
      })),
  ]
  ranked.sort((a, b) => a.rank - b.rank || b.at.localeCompare(a.at))
  return ranked.map(({ group }) => group)
}

function countsOf({ unread, mentions }: { unread: number; mentions: number }) {
  return { unread, mentions }
}

function rankOf(conversation: Conversation): number {
  if (conversation.mentions > 0) return 0
  if (conversation.starred) return 1
  return isChannel(conversation) ? 3 : 2
}

/**
 * The order in which groups are displayed: those that are shown keep their places, also where they were read and become
 * unread again; others follow.
 */
export function keepOrder(before: readonly Uuid[], groups: readonly UnreadGroup[]): Uuid[] {
  const known = new Set(before)
  return [...before, ...groups.map((group) => group.key).filter((key) => !known.has(key))]
}

const groupsOf = memoizeByKey(
  (
    before: readonly UnreadGroup[] | undefined,
    items: readonly SidebarItem[],
    threads: State['threads'],
    _optimisticVersion: number,
  ): readonly UnreadGroup[] => {
    const groups = buildUnreadGroups(items, [...threads.values()].map(withOptimisticThreadUpdates))
    const known = new Map(before?.map((group) => [group.key, group]))
    return reuseIfEqual(
      before,
      groups.map((group) => reuseIfEqual(known.get(group.key), group)),
    )
  },
)

const NO_GROUPS: readonly UnreadGroup[] = []

function currentGroups(session: ClientSession): readonly UnreadGroup[] {
  return groupsOf('', sidebarItems(session), session.store.get().threads, session.optimisticVersion())
}

/** What is unread, in an order that stays the same while it is displayed. */
export function useUnreadGroups(): readonly UnreadGroup[] {
  const groups = useClientSession((session) => (session ? currentGroups(session) : NO_GROUPS))
  const [before, setOrder] = useState<readonly Uuid[]>([])
  const order = keepOrder(before, groups)
  if (order.length > before.length) setOrder(order)
  const places = new Map(order.map((key, place) => [key, place]))
  return [...groups].sort((a, b) => (places.get(a.key) ?? 0) - (places.get(b.key) ?? 0))
}

/** Number of conversations and threads with something unread, for the sidebar. */
export function useUnreadGroupCount(): number {
  return useClientSession((session) => (session ? currentGroups(session).length : 0))
}

/** Marks conversations and threads as read to their end. Returns a function that restores their read markers. */
export function markGroupsRead(groups: readonly Pick<UnreadGroup, 'channelId' | 'rootId'>[]): () => void {
  const session = getClientSession()
  if (!session) return () => {}
  const { readMarkers, store, timelineViews } = session
  const undo: (() => Promise<void>)[] = []
  for (const { channelId, rootId } of groups) {
    const entry = store.get().channels.get(channelId)?.entry
    const thread = rootId === null ? null : store.get().threads.get(rootId)
    readMarkers.resumeReading(rootId ?? channelId)
    if (rootId !== null && thread) {
      const readTo = withOptimisticThreadUpdates(thread).last_read_thread_seq
      readMarkers.markThreadSeen(channelId, rootId, thread.last_thread_seq)
      undo.push(() => readMarkers.markThreadUnread(channelId, rootId, readTo + 1))
    } else if (rootId === null && entry) {
      const readTo =
        readMarkers.pendingUnreadSeq(channelId) ??
        Math.max(entry.state.last_read_seq, readMarkers.pendingReadSeq(channelId))
      readMarkers.markSeen(channelId, entry.counters.last_seq)
      undo.push(() => readMarkers.markUnread(channelId, readTo + 1))
    }
    timelineViews.setUnreadLine({ channel: channelId, root: rootId }, null)
  }
  return () => {
    for (const restore of undo) void restore()
  }
}

/** Marks all followed threads as read. Returns a function that undoes it. */
export function markAllThreadsRead(): () => void {
  const threads = [...(getClientSession()?.store.get().threads.values() ?? [])].map(
    withOptimisticThreadUpdates,
  )
  return markGroupsRead(buildUnreadGroups([], threads))
}
