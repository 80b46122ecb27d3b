import { LIMITS } from '../../../../wire/limits.ts'
import { loadSettings } from '../../client/settings.ts'

/** Bytes of a request. Hosted storage accepts only chunks of exactly this size, besides the last one. */
export const uploadChunkSize = 6 * 1024 * 1024

const requestTimeoutMs = 10_000

let known: Promise<number> | null = null

/**
 * Maximum size of a file in bytes: the limit of the bucket, or the lower one of the project, which the storage service
 * sends as `Tus-Max-Size`. Without it, or if the service can't be reached, the limit of the bucket: a larger upload is
 * then refused before its first byte. Never rejects; after a failed request the next call tries again.
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
