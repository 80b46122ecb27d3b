import type { UnreadCounts } from './channels.ts'
import type { Message } from './messages.ts'
import type { Timestamp, Uuid } from './scalars.ts'

/**
 * The own read marker in one thread, and whether the caller follows the thread. If the caller does not follow it, or
 * is no member of its channel, `follows` is false and counts are 0. `read_version` rises with every change of the
 * read marker or of `follows`, so the higher one is the later.
 */
export interface ThreadState {
  channel_id: Uuid
  root_id: Uuid
  follows: boolean
  last_read_thread_seq: number
  read_version: number
  last_thread_seq: number
  last_reply_at: Timestamp | null
  /** The channel's rev at which the counts were made. */
  rev: number
  counts: UnreadCounts
}

/** Replies ascending by `thread_seq`, with the root and the caller's state. */
export interface ThreadPage {
  channel_id: Uuid
  root: Message
  state: ThreadState
  messages: Message[]
  has_before: boolean
  has_after: boolean
  epoch: number
  rev: number
}

export interface ThreadReadResponse {
  /** False when another device moved it before: `thread` is the current state. */
  applied: boolean
  thread: ThreadState
}

/** Followed threads, latest reply first. */
export interface ThreadInboxPage {
  threads: {
    state: ThreadState
    root: Message
    /** The last few replies, ascending. */
    replies: Message[]
  }[]
  /** Cursor of the next, older page; null at the end. */
  before: string | null
}
