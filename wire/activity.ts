import type { UnreadCounts } from './channels.ts'
import type { Message } from './messages.ts'
import type { Timestamp, Uuid } from './scalars.ts'
import type { ThreadState } from './threads.ts'

/** The filters of the list of activity. */
export const ACTIVITY_FILTERS = ['all', 'mentions', 'reactions', 'replies'] as const
export type ActivityFilter = (typeof ACTIVITY_FILTERS)[number]

/**
 * Something that concerns the caller. The read marker of its channel or thread decides whether it is read. For a
 * reaction, `seen_at` of the page decides.
 */
export interface ActivityEntry {
  kind: 'mention' | 'reaction' | 'reply'
  at: Timestamp
  /**
   * The message that mentions the caller, the caller's message with all its reactions, or the last reply of somebody
   * else.
   */
  message: Message
  /** Of a reaction, with who reacted; else null. */
  emoji: string | null
  profile_id: Uuid | null
  /** The caller's state in the thread of the message; null for one that is in no thread. */
  thread: ThreadState | null
}

/** Newest first. A page may be short or empty and still be followed by another one. */
export interface ActivityPage {
  entries: ActivityEntry[]
  /** Cursor of the next, older page; null at the end. */
  before: string | null
  /** The caller has seen the reactions until then; at the earliest when they became a member. */
  seen_at: Timestamp
}

/** The caller's unread messages, counted message by message. Conversations with too many messages are missing. */
export interface Recount {
  channels: (UnreadCounts & { channel_id: Uuid })[]
  /** Followed threads with unread replies. */
  threads: (UnreadCounts & { root_id: Uuid })[]
}
