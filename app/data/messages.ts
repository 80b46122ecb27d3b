import type { Message, Uuid } from '../../wire/linnet.ts'
import type { Outcome } from './failures.ts'
import type { PreparedFile } from './files.ts'

export interface NewMessage {
  channel: Uuid
  body: string
  threadRoot?: Uuid | null
  alsoToChannel?: boolean
  files?: PreparedFile[]
}
/**
 * Stores the message in the outbox, clearing the draft of that place in the same transaction, and paints
 * it. The value is its id. Fails only when the device itself can't keep it.
 */
export declare function sendMessage(message: NewMessage): Promise<Outcome<Uuid>>
export declare function retrySend(id: Uuid): Promise<void>
/** Gives up a failed (or waiting) message; the value is its words, to put back into the composer. */
export declare function discardSend(id: Uuid): Promise<string | null>

export declare function editMessage(id: Uuid, body: string): Promise<Outcome<Message>>
/** Ask after your own undo has passed: deleting empties. */
export declare function deleteMessage(id: Uuid): Promise<Outcome<Message>>
/** Shown at once, put back if refused. */
export declare function toggleReaction(message: Message, emoji: string): Promise<Outcome>
/** The reader saw everything up to this seq; asked at most once in 3 s, and when the page hides. */
export declare function markSeen(channel: Uuid, seq: number): void
/** Everything from this seq on is unread again. */
export declare function markUnread(channel: Uuid, seq: number): Promise<Outcome>
/** Call at each key stroke: says so at most once in 5 s. */
export declare function setTyping(channel: Uuid, threadRoot?: Uuid | null): void
