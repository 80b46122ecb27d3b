import type { Attachment } from '../../../../../wire/files.ts'
import type { Uuid } from '../../../../../wire/scalars.ts'

/** A file in the viewer, with the data of its header. */
export interface ViewedFile {
  channelId: Uuid
  file: Attachment
  /** Author and time; absent if unknown. */
  sent?: { by: Uuid; at: string }
}
