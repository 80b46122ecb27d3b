import type { Attachment, Uuid } from '../../../../wire/linnet.ts'

/** A file in the viewer, with what its head says of it. */
export interface ViewedFile {
  channelId: Uuid
  file: Attachment
  /** Who sent it, and when; left out where nobody knows. */
  sent?: { by: Uuid; at: string }
}
