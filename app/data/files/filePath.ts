import type { Uuid } from '../../../wire/scalars.ts'

/** Path of a file in the bucket `files`. */
export function filePath(channelId: Uuid, attachmentId: Uuid, what: 'file' | 'thumb'): string {
  return `${channelId}/${attachmentId}/${what}`
}
