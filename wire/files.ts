import type { FileKind } from './fileKinds.ts'
import type { Timestamp } from './scalars.ts'
import type { Uuid } from './scalars.ts'

/** A file in a message. One upload may be listed more than once: each message that has it attached is an entry of its own. */
export interface ListedFile {
  channel_id: Uuid
  message_id: Uuid
  /** The thread of the message; null: in the channel. */
  thread_root: Uuid | null
  author_id: Uuid
  created_at: Timestamp
  /** Among the files of its message, from 0. */
  position: number
  file: Attachment
}

/** Which files: those of one channel, or of all that one may read; of these kinds, this person, this name. */
export interface ListFilesArgs {
  workspace: Uuid
  channel?: Uuid | null
  /** Null: of every kind. */
  kinds?: FileKind[] | null
  author?: Uuid | null
  /** Parts of words that all stand in the name. */
  query?: string | null
  before?: string | null
  limit?: number
}

/** Newest first; those of one message in its own order. */
export interface FileList {
  files: ListedFile[]
  /** Ask again with it for older ones; null at the end. */
  before: string | null
}
export interface Attachment {
  /** Also the upload: the bytes are at `files/<channel_id>/<id>/file`, a thumbnail at `…/thumb`. */
  id: Uuid
  name: string
  type: string
  /** Bytes. */
  size: number
  /** Pixels; null when it is no picture. */
  width: number | null
  height: number | null
  thumb: boolean
}
