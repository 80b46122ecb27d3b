// Removes the metadata of stored pictures and videos. The database calls it when an object is stored, and every minute.
import { authorization, fetchObject, storage } from '../_shared/fetchObject.ts'
import { runInTurn, serveTask } from '../_shared/serveTask.ts'
import { call } from '../_shared/service.ts'
import { removeMetadata, type ObjectStore, type StoredObject } from './removeMetadata.ts'

/** Headers of each request of an upload, which replaces a stored object. */
const tus = { ...authorization, 'Tus-Resumable': '1.0.0', 'x-upsert': 'true' }

/** A call that is still running after this time leaves the other objects to the next one. */
const maxCallMs = 40_000

async function requireSuccess(response: Response): Promise<Response> {
  if (response.ok) return response
  await response.body?.cancel()
  throw new Error(`Storage responded with status ${response.status}.`)
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

// The client library needs the whole file in memory to upload it.
const store: ObjectStore = {
  async read({ bucket, name }, offset, length) {
    const bytes = await fetchObject(`${bucket}/${name}`, offset, length)
    if (bytes !== null && bytes.length !== length)
      throw new Error('Storage did not respond with the requested bytes.')
    return bytes
  },
  async beginUpload({ bucket, name, size, type, cache_control }) {
    // The protocol accepts a number of seconds.
    const [, seconds] = /^max-age=(\d+)$/.exec(cache_control) ?? []
    const metadata = Object.entries({
      bucketName: bucket,
      objectName: name,
      contentType: type,
      ...(seconds === undefined ? {} : { cacheControl: seconds }),
    })
    const response = await requireSuccess(
      await fetch(`${storage}/upload/resumable`, {
        method: 'POST',
        headers: {
          ...tus,
          'Upload-Length': String(size),
          'Upload-Metadata': metadata.map(([field, value]) => `${field} ${base64(value)}`).join(','),
        },
      }),
    )
    await response.body?.cancel()
    // The response contains the public address of the server, which this function may be unable to reach.
    const id = (response.headers.get('location') ?? '').split('/').pop() ?? ''
    return `${storage}/upload/resumable/${id}`
  },
  async sendChunk(upload, offset, chunk) {
    const response = await requireSuccess(
      await fetch(upload, {
        method: 'PATCH',
        headers: {
          ...tus,
          'Content-Type': 'application/offset+octet-stream',
          'Upload-Offset': String(offset),
        },
        body: chunk as Uint8Array<ArrayBuffer>,
      }),
    )
    await response.body?.cancel()
  },
}

async function removeAll(): Promise<number> {
  const startedAt = performance.now()
  let objects = 0
  while (performance.now() - startedAt < maxCallMs) {
    // oxlint-disable-next-line no-await-in-loop -- one object at a time is in memory
    const claimed = await call<(StoredObject & { job: string }) | null>('claim_metadata_removal', {})
    if (claimed === null) break
    let problem: string | null = null
    try {
      // oxlint-disable-next-line no-await-in-loop -- as above
      await removeMetadata(store, claimed)
      objects += 1
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error)
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    await call('finish_metadata_removal', { job: claimed.job, problem })
  }
  return objects
}

const removeInTurn = runInTurn(removeAll)

serveTask(async () => ({ objects: await removeInTurn() }), 'Not all objects were read.')
