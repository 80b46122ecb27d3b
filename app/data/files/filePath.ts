import type { Uuid } from '../../../wire/scalars.ts'

/** Where the bytes of a file are, in the bucket `files`. */
export function filePath(channelId: Uuid, attachmentId: Uuid, what: 'file' | 'thumb'): string {
  return `${channelId}/${attachmentId}/${what}`
}
