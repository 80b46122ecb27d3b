import type { Language } from './languages.ts'
import type { Timestamp, Uuid } from './scalars.ts'

/** The way in which a person is notified of a message. `badge`: only counted. See `app.notification_decision`. */
type NotificationDecision = 'badge' | 'desktop' | 'push' | 'mail'

/** A person's preferences for notifications in a workspace: a row of `notification_preferences`. */
export interface NotificationPreferences {
  /** The level of channels that have none. */
  level: 'all' | 'mentions' | 'nothing'
  /** Words and phrases that notify like a mention; at most 20. The database normalizes them. */
  keywords: string[]
  /** Days of the week (1: Monday) on which a quiet period begins; none: there is no quiet period. */
  quiet_days: number[]
  /** Local times of `time_zone`, such as `18:00:00`. A period that ends before it begins ends on the next day. */
  quiet_from: string
  quiet_to: string
  time_zone: string
  /** Profile ids of people whose messages notify also during a quiet period and “Do not disturb”; at most 20. */
  may_interrupt: Uuid[]
  /** Whether mentions and direct messages that nothing else has notified of are sent by mail. */
  mail: boolean
  /** The language of these mails; null: the language of the server. */
  mail_language: Language | null
  /** Whether others learn what the person has read, and the person learns it of those who share it. */
  shares_reads: boolean
}

/** A recent message of which the caller is notified. */
export interface MessageNotification {
  id: Uuid
  /** Perhaps another one than a page shows. */
  workspace_id: Uuid
  channel_id: Uuid
  /** Null for a reply. */
  seq: number | null
  thread_root: Uuid | null
  thread_seq: number | null
  /** "#rota", or the names of the other people in the conversation. */
  title: string
  /** Null in a direct conversation, whose title it is. */
  author: string | null
  /** At most 1,000 characters with names for what it mentions, or the names of its files. */
  body: string
  created_at: Timestamp
  decision: NotificationDecision
}
