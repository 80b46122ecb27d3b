import type { Timestamp, Uuid } from './scalars.ts'

/** How a person is notified of a message; `badge`: counted only. See `app.notification_decision`. */
type NotificationDecision = 'badge' | 'desktop' | 'push' | 'mail'

/** A recent message of which the caller is notified. */
export interface MessageNotification {
  id: Uuid
  channel_id: Uuid
  author_id: Uuid
  /** Null for a reply. */
  seq: number | null
  thread_root: Uuid | null
  thread_seq: number | null
  /** At most 300 characters. */
  body: string
  created_at: Timestamp
  decision: NotificationDecision
}
