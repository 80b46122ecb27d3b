import type { Language } from './languages.ts'
import type { Timestamp, Uuid } from './scalars.ts'

export type WorkspaceRole = 'owner' | 'admin' | 'member' | 'guest'

export type PresenceState = 'active' | 'away' | 'dnd' | 'offline'

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
  /** What the person does, in their own words; absent in rows stored by earlier versions. */
  title?: string | null
  /** Name of the IANA database, as "Europe/Berlin"; null: not shown. */
  time_zone?: string | null
  /** How others refer to the person, in their own words, as "she/her". */
  pronouns?: string | null
}

export interface Workspace {
  id: Uuid
  name: string
  /** Path in the bucket `avatars`; absent: the initial is displayed. Each version has a path of its own. */
  icon?: string
  /** One more after each change; absent before the first. */
  rev?: number
  /** Another number after each change of the custom emoji; absent without any. */
  emoji_version?: number
  /** Who may add custom emoji; absent: owners and admins. */
  custom_emoji_by?: 'members'
  /**
   * The channels in which people see who has read a message: channels without guests, or all channels. Absent: none.
   */
  read_receipts?: 'members' | 'everyone'
  /** The server fetches previews of links in new messages. */
  link_previews?: true
  /** Another number after each change of groups or their members; absent without any. */
  groups_version?: number
  /** Who may manage groups; absent: owners and admins. */
  groups_by?: 'members'
  /** Who may create channels; absent: all members. */
  channels_by?: 'admins'
  /** Who may invite; absent: owners and admins. */
  invitations_by?: 'members'
  /**
   * Who may write @channel and @here in channels: people who manage the channel, or full members. Absent: everyone.
   */
  mention_everyone_by?: 'admins' | 'members'
  /** Who may delete messages of others: nobody, or owners and admins; absent: also admins of the channel. */
  deletions_by?: 'authors' | 'admins'
  /** Who may see earlier texts of messages besides their author; absent: nobody. */
  edit_history_by?: 'admins' | 'members'
  /** Who may put public channels on the web; absent: owners and admins. */
  web_channels_by?: 'channel_admins'
  /** Of its mails and invitations, for people who have not chosen one, and of newcomers; absent: none was chosen. */
  language?: Language
  /** When everything in it will be deleted. */
  deletes_at?: Timestamp
  /** From when people have access only with a second factor; absent: none is required. */
  second_factor_from?: Timestamp
  /** Owners and admins authenticate again before dangerous commands; absent: they do not. */
  reauthentication?: true
  /** An export for its owners contains private and direct conversations. */
  allows_private_export?: true
  /** When exports begin to contain them: 24 hours after an owner has allowed it. Absent: at once, if it is allowed. */
  private_export_from?: Timestamp
}

/** The caller as a member of a workspace. */
export interface OwnMembership {
  profile: Profile
  role: WorkspaceRole
  email: string | null
  /** Whether the account has a second factor; absent in rows stored by earlier versions. */
  second_factor?: boolean
  /** When the access of a guest ends; absent: never. */
  expires_at?: Timestamp
  /** When the deletion of the account begins, which its person has requested; else absent. */
  deletes_at?: Timestamp
}

/** A workspace that the caller can open only once their account has a second factor. */
export type PausedWorkspace = Pick<Workspace, 'id' | 'name'> & { second_factor_from: Timestamp }

/** The unread counts of a workspace of the caller, whichever workspace a client shows. */
export interface UnreadWorkspace {
  workspace_id: Uuid
  name: string
  icon: string | null
  /** Anything that is not muted. */
  unread: boolean
  /** Mentions, and messages of direct and group conversations that are not muted: at most 100. */
  mentions: number
}

/** A person of the workspace, shown to fellow members; `state` deactivated is a former member. */
export interface Member {
  profile: Profile
  role: WorkspaceRole
  state: 'active' | 'deactivated'
  /** Stands for the person in `Heartbeat.presence`. Null for guests; absent in rows stored by earlier versions. */
  number?: number | null
}

/** A person as owners and admins see them. */
export interface AdministeredPerson {
  profile: Profile
  role: WorkspaceRole
  /** Who is deactivated can be reactivated; who left or was removed comes back by an invitation. */
  state: 'active' | 'deactivated' | 'left' | 'removed'
  /** When a guest's access ends; null: never. */
  expires_at: Timestamp | null
  joined_at: Timestamp
  /** Null without an account. */
  email: string | null
  has_account: boolean
  second_factor: boolean
  /** The number of tokens, webhooks and commands of bots that the person has created. */
  integrations: number
  seen_at: Timestamp | null
}

export interface PersonDetails extends AdministeredPerson {
  /** Those that the caller may read. */
  channels: Uuid[]
  hidden_channels: number
  /** Counted up to 10,000. */
  messages: number
}

/** Number of the last change of a workspace and its people, and the epoch of its topic. */
export interface WorkspaceCounters {
  rev: number
  epoch: number
}

/** Why a membership ended. */
type MembershipEndReason = 'left' | 'removed' | 'deactivated' | 'expired' | 'workspace_deleted'

/** A workspace that the caller was in. */
export interface EndedMembership {
  workspace_id: Uuid
  /** The name that it had then. */
  workspace_name: string
  reason: MembershipEndReason
  ended_at: Timestamp
}

/** Why a session ended. */
export interface EndedSession {
  /** The reasons of memberships: it was the last one of the account. */
  reason:
    | Exclude<MembershipEndReason, 'workspace_deleted'>
    | 'signed_out'
    | 'ended_elsewhere'
    | 'ended_by_admin'
    | 'password_changed'
    | 'factor_added'
    | 'recovery_code_used'
    | 'deletion_requested'
    | 'timed_out'
    | 'account_blocked'
    | 'account_deleted'
  /** For reasons of memberships; else null. */
  workspace_name: string | null
  /** Null if it is unknown. */
  ended_at: Timestamp | null
}

/** What the deletion of the caller's account concerns. */
export interface AccountDeletion {
  /** The waiting period. */
  days: number
  /** When the requested deletion begins; null: none was requested. */
  due_at: Timestamp | null
  deletes_messages: boolean | null
  /** Counted up to 10,000. */
  messages: number
  /** The names of the caller's workspaces. */
  workspaces: string[]
  /** The names of the workspaces without another owner. */
  owned_alone: string[]
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
