import type { Timestamp, Uuid } from './scalars.ts'

/** How people with an address of a domain get into a workspace: at once, or after an approval. */
export type Admission = 'join' | 'request'

export interface JoiningDomain {
  domain: string
  admission: Admission
}

/** A waiting request as owners and admins see it. */
export interface JoinRequest {
  id: Uuid
  name: string
  email: string
  note: string
  created_at: Timestamp
  /** The person left, was removed, or has the address of another account that is or was in the workspace. */
  is_former: boolean
}

export interface JoiningSettings {
  domains: JoiningDomain[]
  /** Anyone with an account may ask to join. */
  open_requests: boolean
  /** Ids of the channels that newcomers start in; none: the oldest public channel. */
  default_channels: Uuid[]
  /** Oldest first, at most 100. */
  requests: JoinRequest[]
}

/** A workspace that the caller may join, may ask to join, or has asked. */
export interface JoinableWorkspace {
  id: Uuid
  name: string
  /** Null: neither any more. */
  admission: Admission | null
  request: {
    id: Uuid
    state: 'waiting' | 'declined'
    note: string
    created_at: Timestamp
    /** When a declined person may ask again; null while the request waits. */
    may_request_at: Timestamp | null
  } | null
}

export interface JoinableWorkspaces {
  /** Null without a profile: joining or asking needs a name then. */
  profile_id: Uuid | null
  name: string | null
  /** False before the first workspace exists. The person with the setup link creates it. */
  is_set_up: boolean
  workspaces: JoinableWorkspace[]
}
