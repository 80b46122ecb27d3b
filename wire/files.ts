import type { FileKind } from './fileKinds.ts'
import type { Timestamp, Uuid } from './scalars.ts'

/** A file of a message. An upload that is attached to several messages is listed once for each. */
export interface ListedFile {
  channel_id: Uuid
  message_id: Uuid
  /** The root of the message's thread; null: the message is in the channel. */
  thread_root: Uuid | null
  author_id: Uuid
  created_at: Timestamp
  /** Index among the files of its message. */
  position: number
  file: Attachment
}

/** Filters of the list of files. Null or absent: all files that the caller can read. */
export interface ListFilesArgs {
  workspace: Uuid
  channel?: Uuid | null
  kinds?: FileKind[] | null
  author?: Uuid | null
  /** Parts of words, all of which the name must contain. */
  query?: string | null
  before?: string | null
  limit?: number
}

/** By message, newest first; within a message by `position`. */
export interface FileList {
  files: ListedFile[]
  /** Cursor of the next, older page; null at the end. */
  before: string | null
}

export interface Attachment {
  /** Id of the upload: its bytes are at `files/<channel_id>/<id>/file`, a thumbnail at `…/thumb`. */
  id: Uuid
  /**
   * The channel to which it was uploaded, if the message was moved to another channel since then. Absent: the channel
   * of the message.
   */
  channel_id?: Uuid
  name: string
  type: string
  /** Bytes. */
  size: number
  /** Pixels; null unless it is a picture. */
  width: number | null
  height: number | null
  thumb: boolean
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
