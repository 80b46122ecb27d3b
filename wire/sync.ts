import type { CommandResponse } from './botCommands.ts'
import type { ChannelEntry, Section } from './channels.ts'
import type {
  Member,
  OwnMembership,
  PausedWorkspace,
  PresenceState,
  Workspace,
  WorkspaceCounters,
} from './people.ts'
import type { Timestamp, Uuid } from './scalars.ts'
import type { Draft, SavedMessage, SavedSearch, ScheduledMessage, Reminder } from './messages.ts'
import type { ThreadState } from './threads.ts'

/**
 * The kinds of rows whose digests the server sends. Two kinds are about threads. `unread` is the list of followed
 * threads with unread replies, which responses contain in their field `threads`. `threads` are the caller's states of
 * the 400 followed threads with the latest replies. Only their digests are sent, and a client requests states that it
 * needs by `thread_states`.
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
 * Digests of rows as the server has them. A client sends them back with `bootstrap` or `heartbeat`. The response then
 * contains only rows that have changed, and digests of the kinds that have changed. For `people` and `channels` it
 * contains all rows of a changed bucket. Clients compute no digests. Decision 25. The digest of `presence` is a cursor,
 * which each heartbeat returns (decision 81).
 */
export type Digests = Readonly<Partial<Record<DigestKind, string>>>

/** Rows that only their owner sees. A kind has all rows of the buckets that differ; it is absent if none differ. */
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
  me: OwnMembership | null
  workspace: Workspace | null
  workspaces: Workspace[]
  /** Null: none. */
  paused_workspaces: PausedWorkspace[] | null
  members: Member[]
  /** The caller's channels, without hidden direct conversations. `browse_channels` lists other channels. */
  channels: ChannelEntry[]
  /**
   * Followed threads with unread replies, latest reply first, at most 100. Threads of channels that the caller left
   * are not included. Threads of hidden conversations return with the next message there.
   */
  threads: ThreadState[]
  sections: Section[]
  own: Partial<OwnRows>
  /** Null for guests, who receive changes of members on their own topic. */
  workspace_counters: WorkspaceCounters | null
  /**
   * The time of the last reply in the 400th followed thread; null if fewer are followed. Older threads have no
   * digest.
   */
  threads_since: Timestamp | null
  /** The number of topics that a client may join at once. */
  max_topics: number
  digests: Digests
}

export interface Heartbeat {
  now: Timestamp
  /**
   * The presence that has changed since the cursor `stored.presence`. `complete`: the presence of everybody; who is not
   * in it is offline. `changes` are for full members, in their order: `12a3w` means that the member with the number 12 is
   * active, and the member with the number 12 + 3 is away. `o` means offline.
   */
  presence: { complete: boolean; changes: string[] }
  /** The same for guests, without numbers. */
  people: { profile_id: Uuid; state: PresenceState }[]
  channels: ChannelEntry[]
  /** As in `bootstrap`. A higher rev than the client's means that the client missed a change. */
  workspace_counters: WorkspaceCounters | null
  /**
   * As in `bootstrap`. A followed thread that is missing here has no unread replies, unless 100 threads are listed.
   */
  threads: ThreadState[]
  sections: Section[]
  own: Partial<OwnRows>
  digests: Digests
}
