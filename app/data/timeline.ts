import type { Message, Uuid } from '../../wire/linnet.ts'
import type { Failure } from './failures.ts'

export interface PendingFile {
  id: Uuid
  name: string
  type: string
  size: number
  width: number | null
  height: number | null
  /** An object URL of the bytes kept here; null when it is no picture. */
  previewUrl: string | null
}

/** A message of one's own that the server's row has not replaced yet. */
export interface PendingMessage {
  id: Uuid
  channelId: Uuid
  threadRoot: Uuid | null
  alsoToChannel: boolean
  body: string
  files: PendingFile[]
  /** This device's clock: for show only. */
  createdAt: string
  /** `sent`: the server has it, its place in the timeline is still coming. */
  state: 'pending' | 'sent' | 'failed'
  /** Set when failed: shown with the ways on (`retrySend`, `discardSend`). */
  failure: Failure | null
}

/** The id is the same before and after, so it serves as the key of the row. */
export type TimelineItem =
  | { kind: 'message'; id: Uuid; message: Message }
  | { kind: 'pending'; id: Uuid; message: PendingMessage }

export interface Timeline {
  /** Ascending; pending ones at the end (only when the end is loaded). */
  items: TimelineItem[]
  hasBefore: boolean
  hasAfter: boolean
  /** `loading`: nothing to show yet. `ready`: items are words (perhaps cached). */
  status: 'loading' | 'ready' | 'failed'
  failure: Failure | null
  /** Where the "new" line stands: before the first item of this seq or higher; null: no line. */
  firstUnreadSeq: number | null
  loadBefore: () => void
  loadAfter: () => void
  /** Shows the words around a seq, or the newest with 'end'. */
  jumpTo: (seq: number | 'end') => void
}

/** The conversation's words, opened at the newest page (or around the first unread). */
export declare function useTimeline(channelId: Uuid): Timeline

export interface Thread {
  root: Message | null
  items: TimelineItem[]
  hasBefore: boolean
  status: 'loading' | 'ready' | 'failed'
  failure: Failure | null
  loadBefore: () => void
}
/** A thread's replies, newest page first. */
export declare function useThread(channelId: Uuid, rootId: Uuid): Thread
