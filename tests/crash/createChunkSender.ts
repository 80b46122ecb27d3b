import { encodeMetadata } from '../integration/storage/support/tusClient.ts'
import type { Address } from '../support/people.ts'
import { requestStorage, uploadError } from './requestStorage.ts'
import { contentOfVersion } from './expectedFile.ts'
import type { ExpectedFile } from './expectedFile.ts'

/** In bytes: small enough that several kills happen between the first chunk and the last. */
const chunkSize = 250_000

/** One resumable upload (TUS). */
export interface ChunkSender {
  file: ExpectedFile
  /** Creates the upload, later sends the next chunk; false where there was no response. */
  send(server: Address): Promise<boolean>
  /** Fetches the offset to resume from; false where there was no response. */
  fetchOffset(server: Address): Promise<boolean>
  /** Offsets below what had been acknowledged, in sentences. */
  faults: string[]
  /** Whether the offset was fetched after some chunks had been acknowledged. */
  isResumed(): boolean
}

/** Uploads the first version of a file, without sending acknowledged bytes again. */
export function createChunkSender(bucket: string, file: ExpectedFile): ChunkSender {
  const content = contentOfVersion(file, 1)
  const faults: string[] = []
  let path: string | null = null
  let acknowledged = 0
  let isResumed = false

  const tus = (server: Address, to: string, init: RequestInit): Promise<Response | null> =>
    requestStorage(server, to, { ...init, headers: { ...init.headers, 'tus-resumable': '1.0.0' } })

  const setOffset = (offset: number): void => {
    acknowledged = offset
    if (offset === content.length) file.acknowledged = 1
  }

  const createUpload = async (server: Address): Promise<boolean> => {
    const metadata = encodeMetadata({ bucketName: bucket, objectName: file.name })
    const response = await tus(server, 'upload/resumable', {
      method: 'POST',
      headers: { 'upload-length': String(content.length), 'upload-metadata': metadata },
    })
    if (response === null) return false
    if (response.status !== 201) throw await uploadError(response)
    path = new URL(response.headers.get('location')!, server.url).pathname.slice('/storage/v1/'.length)
    return true
  }

  return {
    file,
    faults,
    isResumed: () => isResumed,
    async send(server) {
      if (path === null) return createUpload(server)
      const end = Math.min(acknowledged + chunkSize, content.length)
      if (end === content.length) file.attempted = 1
      const response = await tus(server, path, {
        method: 'PATCH',
        headers: {
          'upload-offset': String(acknowledged),
          'content-type': 'application/offset+octet-stream',
        },
        body: content.subarray(acknowledged, end),
      })
      if (response === null) return false
      if (response.status !== 204) throw await uploadError(response)
      setOffset(end)
      return true
    },
    async fetchOffset(server) {
      if (path === null) return true
      const head = await tus(server, path, { method: 'HEAD' })
      if (head === null) return false
      const offset = Number(head.headers.get('upload-offset') ?? Number.NaN)
      if (acknowledged > 0) isResumed = true
      if (offset >= acknowledged) setOffset(offset)
      else
        faults.push(
          `${file.name} has offset ${offset} (${head.status}), but ${acknowledged} was acknowledged`,
        )
      return true
    },
  }
}
