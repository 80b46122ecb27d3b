import type { Timestamp, Uuid } from './scalars.ts'

export type ChannelKind = 'public' | 'private' | 'direct' | 'group'

/** Whether it is a channel with its own name. A direct or group conversation has the names of its people. */
export function isChannel({ kind }: { kind: ChannelKind }): boolean {
  return kind === 'public' || kind === 'private'
}

export interface Channel {
  id: Uuid
  workspace_id: Uuid
  kind: ChannelKind
  /** Null for direct and group conversations: the app names them by their people. */
  name: string | null
  topic: string
  /** What the channel is for, longer than a topic; shown to people who may join. */
  description: string
  posting: 'everyone' | 'admins'
  archived_at: Timestamp | null
  /** Messages with a lower seq were removed by retention. */
  first_seq: number
  /** The time since which anyone on the web can read new messages; null: only its readers. */
  web_since: Timestamp | null
  /** Whether anyone on the web can also open files of new messages. */
  web_files: boolean
  /** Slow mode: seconds between two messages of a person who does not manage the channel; 0 is off. */
  slow_seconds: number
  created_by: Uuid | null
  created_at: Timestamp
  /** Profile ids of all members of a direct or group conversation; null for others (`channel_people` lists them). */
  people: Uuid[] | null
}

/** The highest numbers of a channel: of its messages, its changes, the last change of its metadata, and its topic. */
export interface ChannelCounters {
  last_seq: number
  rev: number
  meta_rev: number
  epoch: number
  /**
   * A random id of the change `rev`: after a backup was restored, other changes get the same numbers. Absent where a
   * client knows the number only.
   */
  change_id?: number | undefined
}

/** Own read marker and preferences in one channel. */
export interface ChannelMemberState {
  last_read_seq: number
  read_version: number
  notify: 'default' | 'all' | 'mentions' | 'nothing'
  muted: boolean
  starred: boolean
  /** Own section of the sidebar; null: the default section of the channel's kind. */
  section_id: Uuid | null
  /**
   * The sort key within the section, ascending. Null: sorted by name, after conversations that were sorted by hand.
   */
  position: number | null
  /** Counts the changes of this state. Of two states of a channel, the one with the higher number is later. */
  rev: number
}

/** A section that a person has added to their sidebar; shown ascending by `position`. */
export interface Section {
  id: Uuid
  name: string
  position: number
  collapsed: boolean
  /** Counts the changes of this section. */
  rev: number
}

/** Derived from the read marker by bounded index scans: at most 100, which is shown as "99+". */
export interface UnreadCounts {
  unread: number
  mentions: number
}

/** A channel as the caller sees it. `member` false: a public channel that the caller has not joined. */
export interface ChannelEntry {
  channel: Channel
  counters: ChannelCounters
  member: boolean
  channel_role: 'admin' | 'member' | null
  /** History start of a guest or of a member who joined later: lower seqs are not readable. */
  history_from_seq: number
  state: ChannelMemberState
  counts: UnreadCounts
  last_message_at: Timestamp | null
}

export interface ReadStateResponse {
  channel_id: Uuid
  /** False when another device moved it before: `state` is the current one. */
  applied: boolean
  state: ChannelMemberState
  counts: UnreadCounts
}
