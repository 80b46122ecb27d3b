import type { Language } from './languages.ts'
import type { WorkspaceRole } from './people.ts'
import type { Timestamp, Uuid } from './scalars.ts'

export interface InvitationView {
  workspace_name: string
  invited_by: string
  role: WorkspaceRole
  /** Names of the channels that the invitation gives access to. */
  channels: string[]
  expires_at: Timestamp
  /** Days from joining until a guest's access ends; null: it does not. */
  access_days: number | null
  /** When the guest can first join, if it is in the future; else null. */
  starts_at: Timestamp | null
  /** The language of the workspace; null: none was chosen. */
  language: Language | null
  /** Whether the caller is a member of the workspace already. */
  is_member: boolean
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
  access_days: number | null
  /** When the guest can first join; null: at once. */
  starts_at: Timestamp | null
  /** What became of the mail; null: the server sent none. `rejected`: refused by the recipient's mail server. */
  mail: 'queued' | 'sent' | 'rejected' | 'failed' | null
  /** Ids of the channels that it gives access to and that the caller can read. */
  channels: Uuid[]
}

export interface InvitationList {
  invitations: Invitation[]
  /** Cursor of the next, older page; null at the end. */
  before: string | null
}
