import { LIMITS } from '../../../../wire/linnet.ts'
import { loadSettings } from '../../client/settings.ts'

/** Bytes of one request: hosted storage takes chunks of this size and no other, but for the last. */
export const uploadChunkSize = 6 * 1024 * 1024

const requestTimeoutMs = 10_000

let known: Promise<number> | null = null

/**
 * Bytes of the largest file that can be uploaded: the limit of the bucket, or the lower one of the whole project, which
 * the storage service states in `Tus-Max-Size`. Where the service states none, or can't be reached, that of the bucket:
 * creating the upload is then refused before its first byte. Never rejects; a failed request is repeated by the next
 * call.
 */
export function maxFileSize(): Promise<number> {
  known ??= requestMaxSize().catch(() => {
    known = null
    return LIMITS.fileBytes
  })
  return known
}

async function requestMaxSize(): Promise<number> {
  const { url, key } = await loadSettings()
  const { headers } = await fetch(`${url}/storage/v1/upload/resumable`, {
    method: 'OPTIONS',
    headers: { apikey: key },
    signal: AbortSignal.timeout(requestTimeoutMs),
  })
  const stated = Number(headers.get('tus-max-size'))
  return stated > 0 ? Math.min(stated, LIMITS.fileBytes) : LIMITS.fileBytes
}
