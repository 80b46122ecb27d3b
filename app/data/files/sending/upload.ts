import type { Uuid } from '../../../../wire/linnet.ts'
import { done, failureFrom } from '../../failures.ts'
import type { Outcome } from '../../failures.ts'
import { StorageRefusal, putBytes } from '../reading/bytes.ts'
import type { OutboxFile } from '../../sync/outbox/outbox.ts'

/** Where the bytes of a file are, in the bucket `files`. */
export function filePath(channelId: Uuid, attachmentId: Uuid, what: 'file' | 'thumb'): string {
  return `${channelId}/${attachmentId}/${what}`
}

/** Uploads a file and its thumbnail. Uploading again what is there already is fine: the id is ours. */
export async function uploadFile(channelId: Uuid, file: OutboxFile): Promise<Outcome> {
  const thumb = file.thumb ? await put(filePath(channelId, file.id, 'thumb'), file.thumb) : done(undefined)
  if (!thumb.ok) return thumb
  return put(filePath(channelId, file.id, 'file'), file.blob, file.type)
}

async function put(path: string, blob: Blob, type = blob.type): Promise<Outcome> {
  try {
    await putBytes(path, new Blob([blob], { type: type || 'application/octet-stream' }))
    return done(undefined)
  } catch (error) {
    return isThereAlready(error) ? done(undefined) : { ok: false, failure: failureFrom(error) }
  }
}

/** The answer of an earlier try was lost on the way. */
function isThereAlready(error: unknown): boolean {
  return error instanceof StorageRefusal && (error.statusCode === '409' || error.code === 'KeyAlreadyExists')
}
