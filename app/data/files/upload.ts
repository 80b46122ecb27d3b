import type { Uuid } from '../../../wire/linnet.ts'
import { getClient } from '../session/client.ts'
import { done, failureFrom, failureNamed } from '../failures.ts'
import type { Outcome } from '../failures.ts'
import type { OutboxFile } from '../sync/outbox/outbox.ts'

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
    const client = await getClient()
    // Without a token (it could not be renewed) the answer would be that we may not, for ever.
    const { data } = await client.auth.getSession()
    if (!data.session) return { ok: false, failure: failureNamed('session_ended') }
    const { error } = await client.storage.from('files').upload(path, blob, {
      contentType: type || 'application/octet-stream',
      // An upload never changes; only those who may read a message ask for it.
      cacheControl: '31536000, immutable',
    })
    if (!error || isThereAlready(error)) return done(undefined)
    return { ok: false, failure: failureFrom(error) }
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}

/** The answer of an earlier try was lost on the way. */
function isThereAlready(error: unknown): boolean {
  const { statusCode, error: name, code } = error as { statusCode?: unknown; error?: unknown; code?: unknown }
  return String(statusCode) === '409' || name === 'Duplicate' || code === 'KeyAlreadyExists'
}
