/**
 * Linnet's own contract: every row the app shows, every event the database speaks, every command and
 * its answer, typed once. The SQL in `supabase/migrations` builds these shapes with `jsonb_build_object`;
 * app, tests and the demo read them. Keys are those of the database (snake case), so that nothing is
 * renamed on the way.
 *
 * Numbers: `seq` orders a channel's timeline from 1 without holes; `thread_seq` a thread's replies;
 * `rev` counts every change of a channel; `epoch` names its topic and rises when someone loses sight.
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
  /** What the channel is for, longer than a topic; shown where one decides to join. */
  description: string
  posting: 'everyone' | 'admins'
  archived_at: Timestamp | null
  /** Messages below were removed by retention. */
  first_seq: number
  created_by: Uuid | null
  created_at: Timestamp
  /** Profile ids: all of them for direct and group, else null (ask `channel_people`). */
  people: Uuid[] | null
}

/** The narrow row that numbers everything. */
export interface ChannelCounters {
  last_seq: number
  rev: number
  meta_rev: number
  epoch: number
}

/** Number of the last change of a workspace and its people, and the epoch of its topic. */
export interface PeopleCounters {
  rev: number
  epoch: number
}

/** One's own pointer and preferences in one channel. */
export interface ChannelState {
  last_read_seq: number
  read_version: number
  notify: 'all' | 'mentions' | 'nothing'
  muted: boolean
  starred: boolean
  /** One's own section of the sidebar; null: where its kind belongs. */
  section_id: Uuid | null
  /** Its place within the section, ascending; null: by name, after those placed by hand. */
  position: number | null
}

/** A part of one's own sidebar, made by hand; shown ascending by `position`. */
export interface Section {
  id: Uuid
  name: string
  position: number
  collapsed: boolean
}

/**
 * One's own place in one thread. Counts are derived from the pointer, at most 100; a thread that one doesn't follow,
 * or whose channel one doesn't belong to, calls for nothing: `follows` false and counts 0. `read_version` rises with
 * every move of one's own place, `follows` included, so that the higher one is the later.
 */
export interface ThreadState {
  channel_id: Uuid
  root_id: Uuid
  follows: boolean
  last_read_thread_seq: number
  read_version: number
  last_thread_seq: number
  last_reply_at: Timestamp | null
  /** The channel's rev of which the counts speak. */
  rev: number
  counts: UnreadCounts
}

/** Derived from the pointer by bounded index reads: at most 100, which is shown as "99+". */
export interface UnreadCounts {
  unread: number
  mentions: number
}

/** A channel as its reader sees it. `member` false: a public channel that one has not joined. */
export interface ChannelEntry {
  channel: Channel
  counters: ChannelCounters
  member: boolean
  channel_role: 'admin' | 'member' | null
  /** A guest's or late joiner's floor: nothing below is readable. */
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
  /** Whether the caller is among them; absent in broadcasts, which are the same for everyone. */
  mine?: boolean
}

/** A reaction after somebody's change: `count` 0 when none is left, `at` its index among those of the message. */
export interface ChangedReaction extends Omit<Reaction, 'mine'> {
  at: number
  /** Whose changed, so that `mine` can follow. */
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
  /** On a root: its thread's highest number, and how many replies are not deleted. */
  last_thread_seq: number
  reply_count: number
  /** On a root: up to 3 profile ids of those who replied last, and when. */
  reply_people: Uuid[]
  last_reply_at: Timestamp | null
  /** Its own seq, or its root's: what floors and search compare with. */
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

// Events: what the database publishes on private topics. Hints, never proof.

/** `channel:<channel id>:<epoch>` */
export type ChannelEvent =
  /** A message, whole: a new one, or one whose text changed or was deleted. */
  | { event: 'message'; payload: { channel_id: Uuid; rev: number; message: Message } }
  /** What else changed of a message since its rev `before`: a client with another rev calls `channel_changes`. */
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
      }
    }
  /** Something changed that not every subscriber may read: call `channel_changes`. */
  | { event: 'rev'; payload: { channel_id: Uuid; rev: number } }
  /** Name, topic, posting, archive, people, retention. `channel` when everyone may see it whole. */
  | { event: 'meta'; payload: { channel_id: Uuid; rev: number; channel: Channel } }
  /** The last event on the old topic: join `channel:<id>:<epoch>` after a jitter that grows with `members`. */
  | { event: 'epoch'; payload: { channel_id: Uuid; epoch: number; rev: number; members: number } }
  | { event: 'typing'; payload: { channel_id: Uuid; profile_id: Uuid; thread_root: Uuid | null } }

/** `user:<profile id>` */
export type UserEvent =
  /** One joined, was added, removed, or the channel changed for one: the entry whole, or null when gone. */
  | { event: 'membership'; payload: { channel_id: Uuid; entry: ChannelEntry | null } }
  /** One's own pointer or preference moved (another tab, another device). */
  | { event: 'state'; payload: { channel_id: Uuid; state: ChannelState; counts: UnreadCounts } }
  /** A message in a direct or group conversation, or one that mentions the reader. */
  | { event: 'activity'; payload: { channel_id: Uuid; seq: number | null; rev: number; mention: boolean } }
  /** Someone else replied in a thread that one follows; `mention` when the reply calls the reader. */
  | {
      event: 'reply'
      payload: { channel_id: Uuid; root_id: Uuid; thread_seq: number; rev: number; mention: boolean }
    }
  /** One's own place in a thread moved, or a reply that one had not read was deleted. */
  | { event: 'thread'; payload: ThreadState }
  /** One's own sections, all of them, after a change. */
  | { event: 'sections'; payload: { workspace_id: Uuid; sections: Section[] } }
  /** For guests, who do not receive the workspace's topic: a person whom they may know changed or came. */
  | { event: 'member'; payload: { workspace_id: Uuid; member: Member } }
  /** One's place in the workspace ended or began: bootstrap again. */
  | { event: 'workspace'; payload: { workspace_id: Uuid } }
  /** For guests too: the workspace has another name. */
  | { event: 'workspace_changed'; payload: { workspace: Workspace } }

/** `workspace:<workspace id>:<epoch>`, for its full members */
export type WorkspaceEvent =
  /** A person of the workspace changed or came. */
  | { event: 'member'; payload: { workspace_id: Uuid; rev: number; member: Member } }
  /** The workspace has another name. */
  | { event: 'workspace_changed'; payload: { workspace_id: Uuid; rev: number; workspace: Workspace } }
  /** The last event of the old topic: join the new one after a jitter that grows with `members`. */
  | { event: 'epoch'; payload: { workspace_id: Uuid; rev: number; epoch: number; members: number } }

// Answers

export interface Bootstrap {
  now: Timestamp
  /** Null for an account that belongs to nothing yet. */
  me: { profile: Profile; role: WorkspaceRole; email: string | null } | null
  workspace: Workspace | null
  workspaces: Workspace[]
  members: Member[]
  /** The channels one belongs to (and direct ones not hidden). Others: `browse_channels`. */
  channels: ChannelEntry[]
  /**
   * Threads that one follows and has not read to the end, latest first, at most 100. Not of channels that one left,
   * nor of conversations that one closed, which return with the next message there.
   */
  threads: ThreadState[]
  sections: Section[]
  /** Null for guests, who receive people on their own topic. */
  people_counters: PeopleCounters | null
  /** How many topics a client holds at once. */
  topics: number
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

/** Replies ascending by `thread_seq`; the root and one's own place beside them. */
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

export type ChannelChanges =
  | {
      channel_id: Uuid
      reset: false
      /** Every message changed after the asked rev, whole, ascending by rev. */
      messages: Message[]
      /** Present when meta moved after the asked rev. */
      entry: ChannelEntry | null
      epoch: number
      rev: number
    }
  /** Too much changed: fetch pages anew. */
  | { channel_id: Uuid; reset: true; entry: ChannelEntry; epoch: number; rev: number }

export interface ReadAnswer {
  channel_id: Uuid
  /** False when another device was first: the state is the one that stands. */
  applied: boolean
  state: ChannelState
  counts: UnreadCounts
}

export interface ThreadReadAnswer {
  /** False when another device was first: the state is the one that stands. */
  applied: boolean
  thread: ThreadState
}

/** Threads that one follows, latest reply first. */
export interface ThreadInbox {
  threads: {
    state: ThreadState
    root: Message
    /** The last few replies, ascending. */
    replies: Message[]
  }[]
  /** Ask again with it for older ones; null at the end. */
  before: string | null
}

export interface Beat {
  now: Timestamp
  people: { profile_id: Uuid; state: PresenceState }[]
  /** Where each of one's channels stands. */
  channels: { channel_id: Uuid; counters: ChannelCounters; counts: UnreadCounts; state: ChannelState }[]
  /** As in `bootstrap`: a higher rev than the known one means that a change was missed. */
  people_counters: PeopleCounters | null
  /** As in `bootstrap`: whatever one follows and is not here has been read, unless there are 100. */
  threads: ThreadState[]
}

export interface InvitationView {
  workspace_name: string
  invited_by: string
  role: WorkspaceRole
  /** Channel names that the invitation opens. */
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
  /** Those that it opens and that the caller reads. */
  channels: Uuid[]
}

export interface InvitationList {
  invitations: Invitation[]
  /** Pass it to get older ones; null at the end. */
  before: string | null
}

export interface SearchAnswer {
  /** At most `limit`. One request examines a bounded part of the messages: there may be none of them, and older ones still. */
  messages: Message[]
  /** Pass it to search on among older messages; null when all were searched. */
  before: string | null
}

/** A place where one is signed in. */
export interface OwnSession {
  id: Uuid
  created_at: Timestamp
  /** Null where it was never renewed since. */
  refreshed_at: Timestamp | null
  /** As the client sent it, which may be anything. */
  user_agent: string | null
  ip: string | null
  /** `aal2` where a second factor was shown. */
  aal: 'aal1' | 'aal2' | 'aal3'
  /** Whether it is the one that asks. */
  current: boolean
}

/**
 * Each command: what `POST /rest/v1/rpc/<name>` takes and answers. Optional arguments have defaults in SQL.
 * Failures are `{code, message}` where `message` is a name that `app/data/failures/failures.ts` turns into a sentence.
 */
/** What the files of a workspace take, in bytes. Avatars are not counted: each person has few. */
export interface StorageUsage {
  used_bytes: number
  max_bytes: number
  /** Of the files that one person has uploaded. */
  max_bytes_per_person: number
  /** The ten who use most, most first. */
  people: { profile_id: Uuid; used_bytes: number }[]
}

export interface Commands {
  /** `token` is the set-up token; makes the caller the owner. */
  found_workspace: {
    args: { token: string; workspace_name: string; channel_name: string; person_name: string }
    answer: { workspace: Workspace; profile: Profile; channel_id: Uuid }
  }
  bootstrap: { args: { workspace?: Uuid | null }; answer: Bootstrap }
  heartbeat: { args: { workspace: Uuid; state: 'active' | 'away' }; answer: Beat }

  /**
   * The plain token is in the answer only; the table keeps its hash. `email` null: a link for many. At most 100
   * channels.
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
    answer: { id: Uuid; token: string; expires_at: Timestamp }
  }
  /** Answers anyone who holds the token, also before sign-in. */
  view_invitation: { args: { token: string }; answer: InvitationView }
  /**
   * Permits an account for an address within an hour. `token` is an invitation's, or the set-up token; it is in no
   * request to the auth service, which would store it with the account.
   */
  request_sign_up: { args: { token: string; email: string }; answer: { expires_at: Timestamp } }
  accept_invitation: {
    args: { token: string; person_name: string }
    answer: { workspace: Workspace; profile: Profile; channel_id: Uuid | null }
  }
  /** Invitations that are neither revoked, expired nor used up, newest first; 50 by default, `limit` 1–100. */
  list_invitations: {
    args: { workspace: Uuid; before?: string | null; limit?: number }
    answer: InvitationList
  }
  revoke_invitation: { args: { id: Uuid }; answer: { id: Uuid } }

  create_channel: {
    /** `id` is made by the client: asked twice, it is made once. */
    args: {
      id: Uuid
      workspace: Uuid
      kind: 'public' | 'private'
      name: string
      topic?: string
      description?: string
      posting?: 'everyone' | 'admins'
    }
    answer: ChannelEntry
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
    answer: ChannelEntry
  }
  /** Closes a channel for words, or opens it again; it stays readable. */
  archive_channel: { args: { channel: Uuid; on: boolean }; answer: ChannelEntry }
  /**
   * Makes a member of the channel one of its admins, or no longer. Where nobody is left to manage it, any full member
   * who belongs may name one.
   */
  set_channel_role: {
    args: { channel: Uuid; person: Uuid; role: 'admin' | 'member' }
    answer: { channel_id: Uuid; person: Uuid; role: 'admin' | 'member' }
  }
  /** Opens the one conversation of these people (the caller is added); made when missing. */
  open_direct: { args: { workspace: Uuid; people: Uuid[] }; answer: ChannelEntry }
  browse_channels: {
    args: { workspace: Uuid }
    answer: { channels: { channel: Channel; members: number; member: boolean }[] }
  }
  channel_people: {
    args: { channel: Uuid }
    answer: { people: { profile_id: Uuid; role: 'admin' | 'member' }[] }
  }
  join_channel: { args: { channel: Uuid }; answer: ChannelEntry }
  leave_channel: { args: { channel: Uuid }; answer: { channel_id: Uuid } }
  add_members: { args: { channel: Uuid; people: Uuid[] }; answer: { channel_id: Uuid; people: Uuid[] } }
  remove_member: { args: { channel: Uuid; person: Uuid }; answer: { channel_id: Uuid; person: Uuid } }
  /** For owners and admins; 1–80 characters. */
  rename_workspace: { args: { workspace: Uuid; name: string }; answer: Workspace }
  /** Ends someone's place in the workspace: their sessions lose every right with the transaction. */
  deactivate_member: { args: { workspace: Uuid; person: Uuid }; answer: Member }
  /** Removes the name of somebody who left or whose account is gone; their messages stay. For owners. */
  erase_person: { args: { workspace: Uuid; person: Uuid }; answer: Member }

  channel_page: {
    /** One of `before`, `after`, `around` (a seq), or none for the newest. `limit` 1–100, 50 by default. */
    args: {
      channel: Uuid
      before?: number | null
      after?: number | null
      around?: number | null
      limit?: number
    }
    answer: ChannelPage
  }
  channel_changes: { args: { channel: Uuid; after_rev: number }; answer: ChannelChanges }
  thread_page: {
    /** One of `before`, `after`, `around` (a thread_seq), or none for the newest. */
    args: {
      root: Uuid
      before?: number | null
      after?: number | null
      around?: number | null
      limit?: number
    }
    answer: ThreadPage
  }
  thread_inbox: {
    args: { workspace: Uuid; unread_only?: boolean; before?: string | null; limit?: number }
    answer: ThreadInbox
  }
  /** One's place in these threads; those one may not read are left out. At most 100. */
  thread_states: { args: { workspace: Uuid; roots: Uuid[] }; answer: { threads: ThreadState[] } }

  send_message: {
    args: {
      id: Uuid
      channel: Uuid
      body: string
      thread_root?: Uuid | null
      also_to_channel?: boolean
      attachments?: Omit<Attachment, 'size' | 'type'>[]
    }
    answer: { message: Message; epoch: number }
  }
  /** `edit` names the change: asked again, even after a later one, nothing changes. */
  edit_message: { args: { id: Uuid; body: string; edit?: Uuid | null }; answer: { message: Message } }
  delete_message: { args: { id: Uuid }; answer: { message: Message } }
  react: { args: { message: Uuid; emoji: string; on: boolean }; answer: { message: Message } }
  pin_message: { args: { message: Uuid; on: boolean }; answer: { message: Message } }
  typing: { args: { channel: Uuid; thread_root?: Uuid | null }; answer: null }

  /** Raises the pointer; `read_version` is the one last seen. */
  mark_read: { args: { channel: Uuid; seq: number; read_version: number }; answer: ReadAnswer }
  /** The only way to lower it: everything from `seq` on is unread again. */
  mark_unread: { args: { channel: Uuid; seq: number }; answer: ReadAnswer }
  /** The same for a thread; reading it does not follow it. */
  mark_thread_read: {
    args: { root: Uuid; thread_seq: number; read_version: number }
    answer: ThreadReadAnswer
  }
  /** Everything from `thread_seq` on is unread again, and the thread is followed. */
  mark_thread_unread: { args: { root: Uuid; thread_seq: number }; answer: ThreadReadAnswer }
  follow_thread: { args: { root: Uuid; on: boolean }; answer: ThreadReadAnswer }

  search_messages: {
    args: { workspace: Uuid; query: string; channel?: Uuid | null; before?: string | null; limit?: number }
    answer: SearchAnswer
  }
  /** Files of messages that one may read, newest first; 50 by default, `limit` 1–100. */
  list_files: { args: ListFilesArgs; answer: FileList }
  /** For owners and admins. */
  storage_usage: { args: { workspace: Uuid }; answer: StorageUsage }
  /** For owners; bytes, 1 MB to 1 PB each. Files that are stored already stay. */
  set_storage_quotas: {
    args: { workspace: Uuid; max_bytes: number; max_bytes_per_person: number }
    answer: StorageUsage
  }
  who_can_read: { args: { message: Uuid }; answer: { people: Uuid[]; everyone: boolean } }

  /** The one that asks first, then those used last; at most 100. */
  my_sessions: { args: Record<never, never>; answer: OwnSession[] }
  /** Signs out there; sockets end within 2 s, and no token of it is taken from then on. */
  end_session: { args: { id: Uuid }; answer: { id: Uuid } }
}

export type CommandName = keyof Commands

/**
 * What a command may fail with, as `message` beside the HTTP status. A name that is also a constraint's means that
 * it would be violated; row security and the constraints themselves return PostgreSQL's own messages instead.
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
  // 401: the session was ended elsewhere
  | 'session_ended'
  // 403: seen, but not for this person
  | 'bad_token'
  | 'invitation_other_email'
  | 'not_a_member'
  | 'not_allowed'
  | 'posting_admins'
  /** The caller has a second factor, and this session hasn't shown it. */
  | 'second_factor_missing'
  // 404: it does not exist, or the caller may not know of it
  | 'invitation_invalid'
  | 'not_found'
  // 409: true a moment ago, or taken
  | 'already_founded'
  | 'archived'
  | 'attachments_missing'
  | 'channels_name_unique'
  | 'conflict'
  | 'message_deleted'
  | 'reactions_kinds'
  // 429: more often than one person may
  | 'rate_limited'
  // 410: was an invitation
  | 'invitation_expired'
  | 'invitation_revoked'
  | 'invitation_used'
  /** For a guest, whose channels have all been archived, deleted or closed to its author since. */
  | 'invitation_without_channels'
  // 413: from the storage service, when a file would exceed a quota
  | 'person_storage_full'
  | 'workspace_storage_full'

/** Bounds that the database holds as named constraints, and the app shows before it asks. */
export const LIMITS = {
  messageCharacters: 20_000,
  attachments: 10,
  /** Bytes. */
  file: 500 * 1024 * 1024,
  channelNameCharacters: 80,
  topicCharacters: 250,
  descriptionCharacters: 1_000,
  sectionCharacters: 80,
  sections: 50,
  personNameCharacters: 80,
  workspaceNameCharacters: 80,
  groupPeople: 12,
  invitationChannels: 100,
  reactionKinds: 50,
  page: 50,
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
