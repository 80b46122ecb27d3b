import type { CommandResponse } from './botCommands.ts'
import type { ChannelEntry, Section } from './channels.ts'
import type { Member, WorkspaceCounters, PresenceState, Profile, Workspace, WorkspaceRole } from './people.ts'
import type { Timestamp, Uuid } from './scalars.ts'
import type { Draft, SavedMessage, SavedSearch, ScheduledMessage, Reminder } from './messages.ts'
import type { ThreadState } from './threads.ts'

/**
 * Kinds of rows of which the server sends digests. Two are of threads. `unread` is the list of followed threads with unread replies,
 * which responses contain in their field `threads`. `threads` are the caller's states of the 400 followed threads with the
 * latest replies: only their digests are sent, and a client requests those that it needs by `thread_states`.
 */
export type DigestKind =
  | 'people'
  | 'channels'
  | 'threads'
  | 'unread'
  | 'sections'
  | 'presence'
  | keyof OwnRows

/**
 * Digests of rows as the server has them. Sent back with `bootstrap` or `heartbeat` they make the response contain only
 * rows that are not the same any more (of `people`, `channels` and `presence` all those of the same bucket), and digests
 * of the kinds that changed. Clients compute none. Decision 25.
 */
export type Digests = Readonly<Partial<Record<DigestKind, string>>>

/** Rows that only their owner sees. Those of a kind are all in the buckets that differ; absent where none do. */
export interface OwnRows {
  drafts: Draft[]
  saved: SavedMessage[]
  responses: CommandResponse[]
  searches: SavedSearch[]
  scheduled: ScheduledMessage[]
  reminders: Reminder[]
}

export interface Bootstrap {
  now: Timestamp
  /** Null for an account without a workspace. */
  me: { profile: Profile; role: WorkspaceRole; email: string | null } | null
  workspace: Workspace | null
  workspaces: Workspace[]
  members: Member[]
  /** The caller's channels, without hidden direct conversations. `browse_channels` lists the others. */
  channels: ChannelEntry[]
  /**
   * Followed threads with unread replies, latest reply first, at most 100; without those of channels that the caller
   * left, and of hidden conversations, which return with the next message there.
   */
  threads: ThreadState[]
  sections: Section[]
  own: Partial<OwnRows>
  /** Null for guests, who receive changes of members on their own topic. */
  workspace_counters: WorkspaceCounters | null
  /** The time of the last reply in the 400th followed thread; null where fewer are followed: older ones have no digest. */
  threads_since: Timestamp | null
  /** How many topics a client may join at once. */
  max_topics: number
  digests: Digests
}

export interface Heartbeat {
  now: Timestamp
  people: { profile_id: Uuid; state: PresenceState }[]
  channels: ChannelEntry[]
  /** As in `bootstrap`: a higher rev than the client's means that it missed a change. */
  workspace_counters: WorkspaceCounters | null
  /** As in `bootstrap`: followed threads that are missing here have no unread replies, unless there are 100. */
  threads: ThreadState[]
  sections: Section[]
  own: Partial<OwnRows>
  digests: Digests
}
