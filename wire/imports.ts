import type { Timestamp, Uuid } from './scalars.ts'

/** An import of another product, as owners and admins see it. */
export interface ImportSummary {
  id: Uuid
  /** Such as `slack`. */
  product: string
  /** The name that the workspace or server has in the other product. */
  source_name: string
  /** Null: the operator of the server. */
  imported_by: Uuid | null
  started_at: Timestamp
  /** Null: it is running or was interrupted. */
  finished_at: Timestamp | null
  undone_at: Timestamp | null
  /** When everything was removed after the undo. */
  removed_at: Timestamp | null
  undo_until: Timestamp
  /** Channels and conversations that it has created and that exist. */
  channels: number
  /** People without an account that it has created. */
  people: number
}

/** What the undo of an import would delete. */
export interface UndoPreview {
  channels: number
  /** Counted up to 1,000,000. */
  messages: number
  /** Messages that people have written since; counted up to 100,000. */
  later_messages: number
  later_people: number
  /** Bytes of files. */
  bytes: number
  people: number
}

/** A person of an export who has no account, as owners and admins see them. */
export interface ImportedPerson {
  profile_id: Uuid
  name: string
  title: string | null
  /** The address that the export has; it is not confirmed. */
  email: string | null
  /** The member who gets the messages of this person. */
  claimed_by: Uuid | null
  /** Whether the member has all of them. */
  is_merged: boolean
  /** The member who has confirmed the address of the export. */
  suggested_id: Uuid | null
}

/** What a member would get with a claim. */
export interface ClaimPreview {
  /** Whether the member has confirmed the address of the export. */
  has_same_address: boolean
  /** Counted up to 100,000. */
  messages: number
  gained_count: number
  /** Channels and conversations that the member cannot read yet; at most 200. */
  gained: {
    id: Uuid
    kind: 'public' | 'private' | 'direct' | 'group'
    /** Null for direct and group conversations. */
    name: string | null
    /** The names of the others in a direct or group conversation; null for channels. */
    people: string[] | null
  }[]
}
