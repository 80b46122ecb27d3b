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
