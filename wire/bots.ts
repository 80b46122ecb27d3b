import type { Delivery } from './botCommands.ts'
import type { Integration } from './integrations.ts'
import type { Timestamp, Uuid } from './scalars.ts'

/** A bot, as managers of the workspace see it. `id` is the id of its profile. */
export interface Bot {
  id: Uuid
  /** 1–80 characters. */
  name: string
  /** At most 250 characters. */
  description: string
  /** The person responsible for it; null after their profile was deleted. */
  responsible_id: Uuid | null
  created_at: Timestamp
  /** Null: it has none, or the last one has ended. `used_at`: when a program last signed in with it. */
  token: (Integration & { created_at: Timestamp; expires_at: Timestamp; used_at: Timestamp | null }) | null
  /** The number of its unmanaged tokens, webhooks and commands, also in channels that the caller may not read. */
  unmanaged: number
  /** Those that the caller may read. */
  channels: Uuid[]
  /** The number of its other channels. */
  hidden_channels: number
}

/** An incoming webhook: a secret address by which other services post into one channel as a bot. */
export interface IncomingWebhook extends Integration {
  id: Uuid
  channel_id: Uuid
  created_by: Uuid | null
  created_at: Timestamp
  /** When it last posted, to the minute. */
  used_at: Timestamp | null
  /** 1–80 characters. The author of its messages; null: the bot. */
  name: string | null
  /** The picture of its messages; null: the picture of the bot. */
  emoji: string | null
  /** Whether @channel and @here in its messages notify people. */
  notifies_everyone: boolean
}

/** An outgoing webhook: an address of another service to which signed messages of a channel are sent. */
export interface OutgoingWebhook extends Integration {
  id: Uuid
  channel_id: Uuid
  url: string
  /** Only messages whose first word is one of these, in lower case; empty: all messages. */
  words: string[]
  created_by: Uuid | null
  created_at: Timestamp
  /** The last delivery that succeeded. */
  delivered_at: Timestamp | null
  /** Null: enabled. */
  disabled_at: Timestamp | null
  /** Why the last delivery failed for good, or the webhook was disabled. */
  problem: string | null
  /** The last 20 deliveries that failed (`failed_at`) or are repeated, newest first. */
  deliveries: Delivery[]
}

/** Only the response to creating it contains it: `token` is the last part of its address. */
export interface IncomingWebhookToken {
  webhook: IncomingWebhook
  token: string
}

/** Only the response to creating a token contains it: `token` is the password of the account with the address `email`. */
export interface BotToken {
  bot: Bot
  email: string
  token: string
}
