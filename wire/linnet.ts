/**
 * Linnet's own contract: the rows that the app shows, the events that the database publishes, and the commands with
 * their responses. The SQL in `supabase/migrations` builds these shapes with `jsonb_build_object`; app, tests and the
 * demo read them. Keys are those of the database (snake case).
 *
 * Numbers: `seq` orders a channel's timeline from 1 without gaps, `thread_seq` a thread's replies; `rev` counts every
 * change of a channel; `epoch` is part of the name of its topic and rises when someone loses access. "Own" means: of
 * the caller.
 */

import type { Attachment, FileList, ListFilesArgs } from './files.ts'
import type { Timestamp, Uuid } from './scalars.ts'

export type WorkspaceRole = 'owner' | 'admin' | 'member' | 'guest'
export type ChannelKind = 'public' | 'private' | 'direct' | 'group'
export type PresenceState = 'active' | 'away' | 'dnd' | 'offline'

// Rows

export interface Profile {
  id: Uuid
  kind: 'person' | 'bot' | 'imported'
  /** 1–80 characters, any script. */
  name: string
  /** Path in the bucket `avatars`; null: initials are displayed. Each version has a path of its own. */
  avatar: string | null
  status_emoji: string | null
  status_text: string | null
  status_expires_at: Timestamp | null
  /** The chosen presence: `auto` follows heartbeats; the others apply until `presence_until`. */
  presence: 'auto' | 'away' | 'dnd'
  /** Null: until changed. Past: as `auto`. */
  presence_until: Timestamp | null
}

export interface Workspace {
  id: Uuid
  name: string
}

/** A person of the workspace, shown to fellow members; `state` deactivated is a former member. */
export interface Member {
  profile: Profile
  role: WorkspaceRole
  state: 'active' | 'deactivated'
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
  created_by: Uuid | null
  created_at: Timestamp
  /** Profile ids of all members of a direct or group conversation; null for others (`channel_people` lists them). */
  people: Uuid[] | null
}

/** The highest numbers of a channel: of its messages, its changes, its metadata's last change, and its topic. */
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

/** Number of the last change of a workspace and its people, and the epoch of its topic. */
export interface PeopleCounters {
  rev: number
  epoch: number
}

/** Own read marker and preferences in one channel. */
export interface ChannelState {
  last_read_seq: number
  read_version: number
  notify: 'all' | 'mentions' | 'nothing'
  muted: boolean
  starred: boolean
  /** Own section of the sidebar; null: the default section of the channel's kind. */
  section_id: Uuid | null
  /** Sort key within the section, ascending; null: by name, after those that were sorted by hand. */
  position: number | null
}

/** A section that a person has added to their sidebar; shown ascending by `position`. */
export interface Section {
  id: Uuid
  name: string
  position: number
  collapsed: boolean
}

/**
 * Own read marker in one thread, and whether the caller follows it. A thread that the caller doesn't follow, or whose
 * channel they are no member of, has `follows` false and counts 0. `read_version` rises with every change of the read
 * marker or of `follows`, so the higher one is the later.
 */
export interface ThreadState {
  channel_id: Uuid
  root_id: Uuid
  follows: boolean
  last_read_thread_seq: number
  read_version: number
  last_thread_seq: number
  last_reply_at: Timestamp | null
  /** The channel's rev at which the counts were made. */
  rev: number
  counts: UnreadCounts
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
  state: ChannelState
  counts: UnreadCounts
  last_message_at: Timestamp | null
}

export interface Reaction {
  emoji: string
  count: number
  /** The first 20 profile ids, in order of reacting. */
  people: Uuid[]
  /** Whether the caller is one of them; absent in broadcasts, which are the same for every subscriber. */
  mine?: boolean
}

/** A reaction after it changed: `count` 0 when nobody has it any more, `at` its index in the message's reactions. */
export interface ChangedReaction extends Omit<Reaction, 'mine'> {
  at: number
  /** The person who added or removed it: the client derives `mine` from this. */
  by: Uuid
  on: boolean
}

export interface Message {
  id: Uuid
  channel_id: Uuid
  kind: 'text' | 'system'
  /** Null for a reply that was not also sent to the channel. */
  seq: number | null
  thread_root: Uuid | null
  thread_seq: number | null
  /** On a root: the highest `thread_seq` of its thread, and how many replies are not deleted. */
  last_thread_seq: number
  reply_count: number
  /** On a root: profile ids of the last people who replied, at most 3, and the time of the last reply. */
  reply_people: Uuid[]
  last_reply_at: Timestamp | null
  /** Its own seq, or its root's: compared with `history_from_seq` and by search. */
  base_seq: number
  /** The channel's rev at this message's last change. */
  rev: number
  author_id: Uuid
  /** Empty when deleted. Mentions are `<@profile-id>`, `<!channel>`, `<!here>`. */
  body: string
  /** The content of a system message, e.g. `{event: 'joined', profile_id}`; null for text. */
  system: SystemNote | null
  created_at: Timestamp
  edited_at: Timestamp | null
  deleted_at: Timestamp | null
  pinned_at: Timestamp | null
  attachments: Attachment[]
  reactions: Reaction[]
}

export type SystemNote =
  | { event: 'created' | 'joined' | 'left' }
  | { event: 'added' | 'removed'; profile_id: Uuid }
  | { event: 'renamed'; name: string }
  | { event: 'topic'; topic: string }
  | { event: 'description'; description: string }
  | { event: 'visibility'; kind: 'public' | 'private' }
  | { event: 'posting'; posting: 'everyone' | 'admins' }
  | { event: 'archived' | 'unarchived' }

// Events that the database publishes on private topics. They can be lost: clients compare revs.

/** Ids of the change `rev` and of the one before it. */
export interface ChangeIds {
  change_id?: number
  previous_change_id?: number
}

/** `channel:<channel id>:<epoch>` */
export type ChannelEvent =
  /** A complete message: new, edited or deleted. */
  | { event: 'message'; payload: { channel_id: Uuid; rev: number; message: Message } & ChangeIds }
  /** Other changes of a message since its rev `before`: a client that has another rev calls `channel_changes`. */
  | {
      event: 'changed'
      payload: {
        channel_id: Uuid
        rev: number
        message_id: Uuid
        before: number
        changes?: Pick<
          Message,
          'last_thread_seq' | 'reply_count' | 'reply_people' | 'last_reply_at' | 'pinned_at'
        >
        reaction?: ChangedReaction
      } & ChangeIds
    }
  /** Something changed that not every subscriber may read: call `channel_changes`. */
  | { event: 'rev'; payload: { channel_id: Uuid; rev: number } & ChangeIds }
  /** Name, topic, posting, archive, people or retention changed. Sent when every subscriber may read all of `channel`. */
  | { event: 'meta'; payload: { channel_id: Uuid; rev: number; channel: Channel } & ChangeIds }
  /** The last event on the old topic: join `channel:<id>:<epoch>` after a jitter that grows with `members`. */
  | { event: 'epoch'; payload: { channel_id: Uuid; epoch: number; rev: number; members: number } }
  | { event: 'typing'; payload: { channel_id: Uuid; profile_id: Uuid; thread_root: Uuid | null } }

/** `user:<profile id>` */
export type UserEvent =
  /** The person joined, was added or removed, or the channel changed for them: the complete entry; null: no access. */
  | { event: 'membership'; payload: { channel_id: Uuid; entry: ChannelEntry | null } }
  /** Own read marker or preferences changed, in any tab or device. */
  | { event: 'state'; payload: { channel_id: Uuid; state: ChannelState; counts: UnreadCounts } }
  /** A message in a direct or group conversation, or one that mentions the reader. */
  | { event: 'activity'; payload: { channel_id: Uuid; seq: number | null; rev: number; mention: boolean } }
  /** Another person replied in a thread that the person follows; `mention`: the reply mentions them. */
  | {
      event: 'reply'
      payload: { channel_id: Uuid; root_id: Uuid; thread_seq: number; rev: number; mention: boolean }
    }
  /** Own read marker in a thread moved, `follows` changed, or an unread reply was deleted. */
  | { event: 'thread'; payload: ThreadState }
  /** All own sections, after a change. */
  | { event: 'sections'; payload: { workspace_id: Uuid; sections: Section[] } }
  /** For guests, who cannot join the workspace's topic: a member whom they may see was added or changed. */
  | { event: 'member'; payload: { workspace_id: Uuid; member: Member } }
  /** The person's membership of the workspace began or ended: bootstrap again. */
  | { event: 'workspace'; payload: { workspace_id: Uuid } }
  /** The workspace was renamed. Also sent to guests. */
  | { event: 'workspace_changed'; payload: { workspace: Workspace } }

/** `workspace:<workspace id>:<epoch>`, for its full members */
export type WorkspaceEvent =
  /** A member of the workspace was added or changed. */
  | { event: 'member'; payload: { workspace_id: Uuid; rev: number; member: Member } }
  /** The workspace was renamed. */
  | { event: 'workspace_changed'; payload: { workspace_id: Uuid; rev: number; workspace: Workspace } }
  /** The last event on the old topic: join the new one after a jitter that grows with `members`. */
  | { event: 'epoch'; payload: { workspace_id: Uuid; rev: number; epoch: number; members: number } }

// Responses

/** Kinds of rows of which the server sends digests. `unread` is the list of followed threads with unread replies. */
export type DigestKind = 'people' | 'channels' | 'threads' | 'unread' | 'sections' | 'presence'

/**
 * Digests of rows as the server has them. Sent back with `bootstrap` or `heartbeat` they make the response contain only
 * rows that are not the same any more (of `people`, `channels` and `presence` all those of the same bucket), and digests
 * of the kinds that changed. Clients compute none. Decision 25.
 */
export type Digests = Readonly<Partial<Record<DigestKind, string>>>

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
  /** Null for guests, who receive changes of members on their own topic. */
  people_counters: PeopleCounters | null
  /** The time of the last reply in the 400th followed thread; null where fewer are followed: older ones have no digest. */
  threads_since: Timestamp | null
  /** How many topics a client may join at once. */
  topics: number
  digests: Digests
}

/** Messages of a timeline, ascending by `seq`. */
export interface ChannelPage {
  channel_id: Uuid
  messages: Message[]
  has_before: boolean
  has_after: boolean
  epoch: number
  rev: number
}

/** Replies ascending by `thread_seq`, with the root and the caller's state. */
export interface ThreadPage {
  channel_id: Uuid
  root: Message
  state: ThreadState
  messages: Message[]
  has_before: boolean
  has_after: boolean
  epoch: number
  rev: number
}

/** A change of a channel: its `rev` and its `change_id`. */
export type KnownChange = readonly [rev: number, id: number]

export type ChannelChanges =
  | {
      channel_id: Uuid
      reset: false
      /** `after_rev`, or the latest `known` change before it that the server has. */
      after: number
      /** Complete messages that changed after `after`, ascending by rev. */
      messages: Message[]
      /** Null unless the channel itself changed after `after`. */
      entry: ChannelEntry | null
      epoch: number
      rev: number
      change_id?: number
    }
  /** Too much changed for one response, or the server has no change that the client knows: fetch pages anew. */
  | { channel_id: Uuid; reset: true; entry: ChannelEntry; epoch: number; rev: number; change_id?: number }

export interface ReadStateResponse {
  channel_id: Uuid
  /** False when another device moved it before: `state` is the current one. */
  applied: boolean
  state: ChannelState
  counts: UnreadCounts
}

export interface ThreadReadResponse {
  /** False when another device moved it before: `thread` is the current state. */
  applied: boolean
  thread: ThreadState
}

/** Followed threads, latest reply first. */
export interface ThreadInboxPage {
  threads: {
    state: ThreadState
    root: Message
    /** The last few replies, ascending. */
    replies: Message[]
  }[]
  /** Cursor of the next, older page; null at the end. */
  before: string | null
}

export interface Heartbeat {
  now: Timestamp
  people: { profile_id: Uuid; state: PresenceState }[]
  channels: ChannelEntry[]
  /** As in `bootstrap`: a higher rev than the client's means that it missed a change. */
  people_counters: PeopleCounters | null
  /** As in `bootstrap`: followed threads that are missing here have no unread replies, unless there are 100. */
  threads: ThreadState[]
  sections: Section[]
  digests: Digests
}

export interface InvitationView {
  workspace_name: string
  invited_by: string
  role: WorkspaceRole
  /** Names of the channels that the invitation gives access to. */
  channels: string[]
  expires_at: Timestamp
}

/** An open invitation as owners and admins of its workspace see it. The token is never sent again. */
export interface Invitation {
  id: Uuid
  role: 'admin' | 'member' | 'guest'
  /** Null: a link that anyone who has it may use. */
  email: string | null
  invited_by: Uuid
  max_uses: number
  uses: number
  created_at: Timestamp
  expires_at: Timestamp
  /** Cannot be used now, because its author may not invite (banned, or no longer an admin). It can still be revoked. */
  suspended: boolean
  /** Ids of the channels that it gives access to and that the caller can read. */
  channels: Uuid[]
}

export interface InvitationList {
  invitations: Invitation[]
  /** Cursor of the next, older page; null at the end. */
  before: string | null
}

export interface SearchResponse {
  /** At most `limit`. One request examines a bounded number of messages, so it may return none although older ones match. */
  messages: Message[]
  /** Cursor for searching older messages; null when all were searched. */
  before: string | null
}

/** A session of the caller's account. */
export interface OwnSession {
  id: Uuid
  created_at: Timestamp
  /** Null: its token was not refreshed yet. */
  refreshed_at: Timestamp | null
  /** As the client sent it: not validated. */
  user_agent: string | null
  ip: string | null
  /** `aal2` where a second factor was shown. */
  aal: 'aal1' | 'aal2' | 'aal3'
  /** Whether it is the session of this request. */
  current: boolean
}

/** Storage used by the files of a workspace, in bytes, without avatars. */
export interface StorageUsage {
  used_bytes: number
  max_bytes: number
  /** For the files that one person has uploaded. */
  max_bytes_per_person: number
  /** The ten people who use most, descending. */
  people: { profile_id: Uuid; used_bytes: number }[]
}

/**
 * The commands: arguments and response of `POST /rest/v1/rpc/<name>`. Optional arguments have defaults in SQL.
 * Errors are `{code, message}`, where `message` is a `FailureName`.
 */
export interface Commands {
  /** `token` is the set-up token; makes the caller the owner. */
  found_workspace: {
    args: { token: string; workspace_name: string; channel_name: string; person_name: string }
    response: { workspace: Workspace; profile: Profile; channel_id: Uuid }
  }
  /** `stored`: the digests of the rows that the client has; without them the response contains everything. */
  bootstrap: { args: { workspace?: Uuid | null; stored?: Digests | null }; response: Bootstrap }
  heartbeat: {
    args: { workspace: Uuid; state: 'active' | 'away'; stored?: Digests | null }
    response: Heartbeat
  }

  /**
   * Only the response contains the token; the table stores its hash. `email` null: a link that several people may use.
   * At most 100 channels.
   */
  create_invitation: {
    args: {
      workspace: Uuid
      role: 'admin' | 'member' | 'guest'
      channels: Uuid[]
      email?: string | null
      max_uses?: number
      /** Hours until it expires, 1–720. */
      hours?: number
    }
    response: { id: Uuid; token: string; expires_at: Timestamp }
  }
  /** For any caller who sends the token, also without signing in. */
  view_invitation: { args: { token: string }; response: InvitationView }
  /**
   * Permits signing up with an address within an hour. `token` is an invitation's, or the set-up token. It is not sent
   * to the auth service, which would store it with the account.
   */
  request_sign_up: { args: { token: string; email: string }; response: { expires_at: Timestamp } }
  accept_invitation: {
    args: { token: string; person_name: string }
    response: { workspace: Workspace; profile: Profile; channel_id: Uuid | null }
  }
  /** Invitations that are neither revoked, expired nor used up, newest first; 50 by default, `limit` 1–100. */
  list_invitations: {
    args: { workspace: Uuid; before?: string | null; limit?: number }
    response: InvitationList
  }
  revoke_invitation: { args: { id: Uuid }; response: { id: Uuid } }

  create_channel: {
    /** The client creates `id`, so that a repeated request creates one channel. */
    args: {
      id: Uuid
      workspace: Uuid
      kind: 'public' | 'private'
      name: string
      topic?: string
      description?: string
      posting?: 'everyone' | 'admins'
    }
    response: ChannelEntry
  }
  update_channel: {
    args: {
      channel: Uuid
      name?: string | null
      topic?: string | null
      description?: string | null
      posting?: 'everyone' | 'admins' | null
      /** Public → private: non-members lose access at once. Private → public: all full members gain it. */
      kind?: 'public' | 'private' | null
    }
    response: ChannelEntry
  }
  /** Makes a channel read-only, or ends this. */
  archive_channel: { args: { channel: Uuid; on: boolean }; response: ChannelEntry }
  /**
   * Makes a member of the channel an admin of it, or a member again. In a channel without admins each full member of it
   * may name one.
   */
  set_channel_role: {
    args: { channel: Uuid; person: Uuid; role: 'admin' | 'member' }
    response: { channel_id: Uuid; person: Uuid; role: 'admin' | 'member' }
  }
  /** Returns the conversation of exactly these people and the caller; creates it if there is none. */
  open_direct: { args: { workspace: Uuid; people: Uuid[] }; response: ChannelEntry }
  browse_channels: {
    args: { workspace: Uuid }
    response: { channels: { channel: Channel; members: number; member: boolean }[] }
  }
  channel_people: {
    args: { channel: Uuid }
    response: { people: { profile_id: Uuid; role: 'admin' | 'member' }[] }
  }
  join_channel: { args: { channel: Uuid }; response: ChannelEntry }
  leave_channel: { args: { channel: Uuid }; response: { channel_id: Uuid } }
  add_members: { args: { channel: Uuid; people: Uuid[] }; response: { channel_id: Uuid; people: Uuid[] } }
  remove_member: { args: { channel: Uuid; person: Uuid }; response: { channel_id: Uuid; person: Uuid } }
  /** For owners and admins; 1–80 characters. */
  rename_workspace: { args: { workspace: Uuid; name: string }; response: Workspace }
  /** Ends a membership of the workspace: the person's sessions lose all access with the transaction. */
  deactivate_member: { args: { workspace: Uuid; person: Uuid }; response: Member }
  /** Removes the name of a former member or deleted account; the messages stay. For owners. */
  erase_person: { args: { workspace: Uuid; person: Uuid }; response: Member }

  channel_page: {
    /** One of `before`, `after`, `around` (a seq), or none for the newest. `limit` 1–100, 50 by default. */
    args: {
      channel: Uuid
      before?: number | null
      after?: number | null
      around?: number | null
      limit?: number
    }
    response: ChannelPage
  }
  /** `known`: numbers and ids of changes that the client has, at most 20: those of a restored backup differ. */
  channel_changes: {
    args: { channel: Uuid; after_rev: number; known?: readonly KnownChange[] | null }
    response: ChannelChanges
  }
  thread_page: {
    /** One of `before`, `after`, `around` (a thread_seq), or none for the newest. */
    args: {
      root: Uuid
      before?: number | null
      after?: number | null
      around?: number | null
      limit?: number
    }
    response: ThreadPage
  }
  thread_inbox: {
    args: { workspace: Uuid; unread_only?: boolean; before?: string | null; limit?: number }
    response: ThreadInboxPage
  }
  /** Own states of these threads, at most 100, without those that the caller may not read. */
  thread_states: { args: { workspace: Uuid; roots: Uuid[] }; response: { threads: ThreadState[] } }

  send_message: {
    args: {
      id: Uuid
      channel: Uuid
      body: string
      thread_root?: Uuid | null
      also_to_channel?: boolean
      attachments?: Omit<Attachment, 'size' | 'type'>[]
    }
    response: { message: Message; epoch: number }
  }
  /** `edit` identifies the edit: repeating it, even after a later one, changes nothing. */
  edit_message: { args: { id: Uuid; body: string; edit?: Uuid | null }; response: { message: Message } }
  delete_message: { args: { id: Uuid }; response: { message: Message } }
  react: { args: { message: Uuid; emoji: string; on: boolean }; response: { message: Message } }
  pin_message: { args: { message: Uuid; on: boolean }; response: { message: Message } }
  typing: { args: { channel: Uuid; thread_root?: Uuid | null }; response: null }

  /** Moves the read marker forward if its version still is `read_version`. */
  mark_read: { args: { channel: Uuid; seq: number; read_version: number }; response: ReadStateResponse }
  /** Moves the read marker back, which no other command does: messages from `seq` on are unread. */
  mark_unread: { args: { channel: Uuid; seq: number }; response: ReadStateResponse }
  /** The same for a thread, without following it. */
  mark_thread_read: {
    args: { root: Uuid; thread_seq: number; read_version: number }
    response: ThreadReadResponse
  }
  /** Replies from `thread_seq` on are unread, and the caller follows the thread. */
  mark_thread_unread: { args: { root: Uuid; thread_seq: number }; response: ThreadReadResponse }
  follow_thread: { args: { root: Uuid; on: boolean }; response: ThreadReadResponse }

  search_messages: {
    args: { workspace: Uuid; query: string; channel?: Uuid | null; before?: string | null; limit?: number }
    response: SearchResponse
  }
  /** Files of messages that the caller can read, newest first; 50 by default, `limit` 1–100. */
  list_files: { args: ListFilesArgs; response: FileList }
  /** For owners and admins. */
  storage_usage: { args: { workspace: Uuid }; response: StorageUsage }
  /** For owners; bytes, 1 MB to 1 PB each. Files that are stored already are not removed. */
  set_storage_quotas: {
    args: { workspace: Uuid; max_bytes: number; max_bytes_per_person: number }
    response: StorageUsage
  }
  who_can_read: { args: { message: Uuid }; response: { people: Uuid[]; everyone: boolean } }

  /** The session of this request first, then by last use, descending; at most 100. */
  my_sessions: { args: Record<never, never>; response: OwnSession[] }
  /** Signs this session out: its tokens are refused at once, its sockets end within 2 s. */
  end_session: { args: { id: Uuid }; response: { id: Uuid } }
}

export type CommandName = keyof Commands

/**
 * Errors of commands: `message` beside the HTTP status; `app/data/failures/failures.ts` has their sentences. A name
 * that is also a constraint's means that it would be violated; row security and constraints themselves return
 * PostgreSQL's own messages instead.
 */
export type FailureName =
  // 400: the request is invalid
  | 'attachments_at_most_ten'
  | 'bad_attachment'
  | 'bad_cursor'
  | 'bad_emoji'
  | 'bad_file_kind'
  | 'bad_invitation'
  | 'bad_quota'
  | 'bad_state'
  | 'channel_members_role_known'
  | 'channels_description_length'
  | 'channels_kind_known'
  | 'channels_name_length'
  | 'channels_posting_known'
  | 'channels_topic_length'
  | 'direct_too_many'
  | 'email_address_invalid'
  | 'guest_needs_channel'
  | 'messages_body_length'
  | 'messages_not_empty'
  | 'not_a_thread'
  | 'profiles_name_length'
  | 'too_many_channels'
  | 'too_many_people'
  | 'too_many_threads'
  | 'workspaces_name_length'
  // 401: the session was ended on another device
  | 'session_ended'
  // 403: the caller may not do this
  | 'bad_token'
  | 'invitation_other_email'
  | 'not_a_member'
  | 'not_allowed'
  | 'posting_admins'
  /** The caller has a second factor, and this session hasn't shown it. */
  | 'second_factor_missing'
  // 404: it does not exist, or the caller may not read it
  | 'invitation_invalid'
  | 'not_found'
  // 409: conflicts with the current state
  | 'already_founded'
  | 'archived'
  | 'attachments_missing'
  | 'channels_name_unique'
  | 'conflict'
  | 'message_deleted'
  | 'reactions_kinds'
  // 429: too many requests of one person
  | 'rate_limited'
  // 410: the invitation can no longer be used
  | 'invitation_expired'
  | 'invitation_revoked'
  | 'invitation_used'
  /** For guests: all its channels were archived, deleted, or made inaccessible to its author. */
  | 'invitation_without_channels'
  // 413: from the storage service, when a file would exceed a quota
  | 'person_storage_full'
  | 'workspace_storage_full'

/** Bounds that the database enforces with named constraints, and the app checks before it sends. */
export const LIMITS = {
  messageCharacters: 20_000,
  attachments: 10,
  /** Bytes. */
  fileBytes: 500 * 1024 * 1024,
  channelNameCharacters: 80,
  topicCharacters: 250,
  descriptionCharacters: 1_000,
  sectionCharacters: 80,
  sections: 50,
  personNameCharacters: 80,
  workspaceNameCharacters: 80,
  groupPeople: 12,
  invitationChannels: 100,
  pageSize: 50,
} as const

/** The topic on which a channel's changes are published at `epoch`. */
export function channelTopic(channelId: Uuid, epoch: number): string {
  return `channel:${channelId}:${epoch}`
}

/** The topic of a workspace's people and name at `epoch`. */
export function workspaceTopic(workspaceId: Uuid, epoch: number): string {
  return `workspace:${workspaceId}:${epoch}`
}

/** The topic on which one person's own changes are published. */
export function userTopic(profileId: Uuid): string {
  return `user:${profileId}`
}
