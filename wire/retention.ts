import type { Timestamp, Uuid } from './scalars.ts'

/** All channels of a workspace, its direct and group conversations, or one channel. */
export type RetentionScope = 'channels' | 'conversations' | 'channel'

export interface RetentionRule {
  /** Days; null keeps messages forever. */
  keep_days: number | null
  /** Nothing is deleted before. */
  starts_at: Timestamp
}

export interface Retention {
  /** Null keeps messages forever. */
  channels: RetentionRule | null
  conversations: RetentionRule | null
  /** Channels with their own rule that the caller may read, at most 500. */
  own: (RetentionRule & { channel_id: Uuid; name: string })[]
  /** The number and the hash of the last receipt. */
  receipts: number
  last_hash: string | null
}

/** The messages that a rule would delete today. */
export interface RetentionPreview {
  messages: number
  channels: number
  oldest: Timestamp | null
  files: number
  bytes: number
  pinned: number
  /** Only the first 10,000 messages were counted. */
  more: boolean
}

/** The receipt of the messages that one batch of retention has deleted. */
export interface RetentionReceipt {
  number: number
  deleted_at: Timestamp
  channel_id: Uuid
  from_seq: number
  until_seq: number
  messages: number
  files: number
  bytes: number
  sent_before: Timestamp
  scope: RetentionScope
  keep_days: number
  /** SHA-256 of `line`, in hexadecimal. */
  hash: string
  /** The canonical form, which ends with the hash of the receipt before. */
  line: string
}
