import { LIMITS } from '../../../../wire/limits.ts'
import { loadSettings } from '../../client/settings.ts'
import { success, type Outcome } from '../../failures/failures.ts'
import { createQuery } from '../../queries/createQuery.ts'

/** Bytes of a request. Hosted storage accepts only chunks of exactly this size, besides the last one. */
export const uploadChunkSize = 6 * 1024 * 1024

const requestTimeoutMs = 10_000

/** The limit of the bucket, or the lower one of the project, which the storage service sends as `Tus-Max-Size`. */
const sizeLimit = createQuery({ fetch: fetchSizeLimit, isPublic: true, maxStored: 1, freshMs: Infinity })

/**
 * Maximum size of a file in bytes. If the service can't be reached, it is the limit of the bucket: a larger upload is then
 * refused before its first byte. Never rejects; after a failed request the next call tries again.
 */
export async function maxFileSize(): Promise<number> {
  const limit = await sizeLimit.load()
  return limit.ok ? limit.value : LIMITS.fileBytes
}

async function fetchSizeLimit(): Promise<Outcome<number>> {
  const { url, key } = await loadSettings()
  const { headers } = await fetch(`${url}/storage/v1/upload/resumable`, {
    method: 'OPTIONS',
    headers: { apikey: key },
    signal: AbortSignal.timeout(requestTimeoutMs),
  })
  const stated = Number(headers.get('tus-max-size'))
  return success(stated > 0 ? Math.min(stated, LIMITS.fileBytes) : LIMITS.fileBytes)
}
