import type { Timestamp, Uuid } from './scalars.ts'

export type ReportState = 'open' | 'in_progress' | 'closed'
export type ReportOutcome = 'no_action' | 'message_removed' | 'person_silenced' | 'settled'

/** The open tasks of owners and admins, each counted up to 100. */
export interface AdminTasks {
  /** Reports that nobody has taken. */
  reports: number
  /** People who wait for the answer to their request to join. */
  requests: number
  /** Tokens, webhooks and commands of bots whose creator no longer manages the workspace. */
  integrations: number
}

/** A message that somebody reported, as owners and admins see it. */
export interface Report {
  id: Uuid
  state: ReportState
  created_at: Timestamp
  closed_at: Timestamp | null
  reporter_id: Uuid | null
  author_id: Uuid | null
  /** Who took or closed it. */
  handler_id: Uuid | null
  outcome: ReportOutcome | null
  note: string
  channel_kind: 'public' | 'private' | 'direct' | 'group'
  /** Null for readers of the report who cannot read the conversation. */
  channel_id: Uuid | null
  message_id: Uuid | null
  /** Whether the message is no longer there. */
  deleted: boolean
  /** Null once the report is closed. */
  snapshot: ReportSnapshot | null
}

/** The message when it was reported. */
export interface ReportSnapshot {
  body: string
  created_at: Timestamp
  edited_at: Timestamp | null
  /** Names of its files. */
  files: string[]
  /** The messages before it, if the reporter included them. */
  before: { author_id: Uuid | null; body: string; created_at: Timestamp }[]
}

/** Until when a person may not write, and why. */
export interface Silence {
  profile_id: Uuid
  until: Timestamp
  reason: string
}
