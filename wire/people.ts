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
}

export interface Workspace {
  id: Uuid
  name: string
  /** Another number after each change of the custom emoji; absent without any. */
  emoji_version?: number
  /** Who may add custom emoji; absent: owners and admins. */
  custom_emoji_by?: 'members'
  /** Who sees who has read a message: readers in channels without guests, or everywhere; absent: nobody. */
  read_receipts?: 'members' | 'everyone'
  /** The server fetches previews of links in new messages. */
  link_previews?: true
}

/** A person of the workspace, shown to fellow members; `state` deactivated is a former member. */
export interface Member {
  profile: Profile
  role: WorkspaceRole
  state: 'active' | 'deactivated'
}

/** Number of the last change of a workspace and its people, and the epoch of its topic. */
export interface PeopleCounters {
  rev: number
  epoch: number
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
