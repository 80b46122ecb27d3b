import type { Timestamp, Uuid } from './scalars.ts'

/** A browser that receives notifications while no page is open, as its owner sees it. */
export interface PushSubscriptionRow {
  id: Uuid
  /** The user agent as the browser sent it: not validated. */
  device: string
  created_at: Timestamp
  /** When its push service last accepted a notification; null: never. */
  accepted_at: Timestamp | null
  /** When it last reported that it showed one; null: never. */
  shown_at: Timestamp | null
  /**
   * The reason why the last notification was not accepted: `refused`, `unreachable`, or `status` with the status of
   * the push service. Null: it was accepted.
   */
  problem: string | null
  /** Whether its notifications only show that there is something new. */
  hides_content: boolean
  /** Whether it belongs to the session of this request. */
  current: boolean
}

/** The push message that the service worker receives: the JSON that `supabase/functions/push` encrypts. */
export interface PushPayload {
  kind: 'message' | 'reminder' | 'test'
  /** Of the conversation (the thread, or the channel), or of the reminder. A later notification replaces the earlier one. */
  tag: string
  /** The language of the interface when the browser subscribed, as a BCP 47 tag. */
  language: string
  /** Where the browser reports that it showed this, and with which token. */
  report: string
  token: string
  message?: Uuid
  /** The number of the message in its channel, or in its thread. */
  seq?: number
  channel?: Uuid
  thread?: Uuid | null
  /** Of a reminder: which one, and when it was due. */
  reminder?: Uuid
  at?: Timestamp
  /** Without it, and without `lines`, the device hides the texts of messages. */
  title?: string
  /** The last messages, at most three; `author` null: the title names them. */
  lines?: { author: string | null; text: string }[]
  /** The messages of these lines. */
  messages?: Uuid[]
  /**
   * The tags of outdated notifications, whose messages were read elsewhere, deleted, edited so that they no longer
   * concern the person, or are no longer readable.
   */
  close?: string[]
}

/** The notification of a declarative push message, which a browser can display without a service worker. */
export interface DeclaredNotification {
  title: string
  body: string
  lang: string
  tag: string
  /** The absolute URL that a click opens if the browser displayed the notification itself. */
  navigate: string
  /** What the service worker needs besides. */
  data: Omit<PushPayload, 'title' | 'lines'>
}

/** A declarative push message (Push API), which Safari 18.4 and later can display. Other browsers receive `PushPayload`. */
export interface DeclarativePushMessage {
  web_push: 8030
  notification: DeclaredNotification
  /** The service worker may display another notification. Without a worker the browser displays this one. */
  mutable: true
}
