import type { Timestamp, Uuid } from './scalars.ts'
import type { Finding, ProblemKind } from './serverChecks.ts'

/** A channel as owners and admins see it in the list of channels. */
export interface AdministeredChannel {
  id: Uuid
  kind: 'public' | 'private'
  name: string
  topic: string
  created_at: Timestamp
  created_by: Uuid | null
  archived_at: Timestamp | null
  last_message_at: Timestamp | null
  members: number
}

export type ChannelSort =
  | 'name'
  | 'name.desc'
  | 'members'
  | 'members.asc'
  | 'active'
  | 'inactive'
  | 'created'
  | 'created.asc'

/** `seen`: when they were last there. Times are sorted from the latest to the earliest, and roles from the owner to guests. */
export type PersonSort =
  | 'name'
  | 'name.desc'
  | 'role'
  | 'role.desc'
  | 'joined'
  | 'joined.asc'
  | 'seen'
  | 'seen.asc'

export interface PersonStorage {
  profile_id: Uuid
  used_bytes: number
}

export interface ChannelStorage {
  id: Uuid
  kind: 'public' | 'private'
  name: string
  archived_at: Timestamp | null
  used_bytes: number
}

/** The due jobs of a kind that have not been attempted in vain; counted up to 1,000. */
export interface WaitingJobs {
  kind: string
  jobs: number
  /** When the oldest became due. */
  since: Timestamp
}

/** Jobs of a kind whose last attempt failed and that will be attempted again, counted up to 1,000. */
export interface RetriedJobs {
  kind: string
  jobs: number
  /** When the oldest was added. */
  since: Timestamp
  /** When the first is attempted again. */
  next: Timestamp
  /** The most frequent one. */
  problem: ProblemKind
}

/** Jobs of a kind that failed for good within a week, counted up to 1,000. */
export interface FailedJobs {
  kind: string
  jobs: number
  latest: Timestamp
  problem: ProblemKind
}

export interface ScheduledJob {
  name: string
  active: boolean
  /** The last run that has ended; null: none among the latest runs. */
  last_run: Timestamp | null
  succeeded: boolean | null
  /** Among the latest runs. */
  failures: number
}

/** A restore from a backup that nobody has confirmed yet. */
export interface PendingRestore {
  restored_at: Timestamp
  /** The moment whose state was restored; null if it is unknown. */
  recovered_to: Timestamp | null
}

/** The state of the server: its healthy parts and its problems. */
export interface WorkspaceHealth {
  checked_at: Timestamp
  files: { used_bytes: number; max_bytes: number }
  /** Of this workspace; the counts are of the last seven days, up to 1,000. */
  mail: {
    state: 'on' | 'off' | 'no_server' | 'unknown'
    /** Whether linnet.toml of the server decides that mails are off. */
    is_fixed: boolean
    rejected: number
    failed_invitations: number
  }
  disabled_webhooks: number
  /** Of all workspaces of the server; null except for the owners and admins of the first. */
  server: ServerHealth | null
}

/** What the database knows about the whole installation, and what the server last found about itself. */
export interface ServerHealth {
  queue: { waiting: WaitingJobs[]; retried: RetriedJobs[]; failed: FailedJobs[] }
  /** Null where it cannot be read. `since`: of the earliest run that was read. */
  cron: { since: Timestamp | null; jobs: ScheduledJob[] } | null
  database_bytes: number | null
  /** Of a restored copy that sends nothing until an owner confirms that the original is gone; else null. */
  restore: PendingRestore | null
  push: { has_keys: boolean; has_contact: boolean }
  /** Null where no server reports, as on hosted projects. */
  checks: { reported_at: Timestamp; findings: Finding[] } | null
}
