import { randomUUID } from 'node:crypto'
import { errors } from '../errors.ts'
import { cleanMimeType } from '../mimeType.ts'
import { requireBucketName, requireObjectName } from '../names.ts'
import type { StorageContext } from '../Storage.ts'
import { resolvePrincipal } from './UploadPrincipal.ts'
import { readChecksum } from './checksum.ts'
import { readContentLength, readTusHeaders } from './readTusHeaders.ts'
import { finishUpload } from './finishUpload.ts'
import { openChunk } from './openChunk.ts'
import { receiveChunk } from './receiveChunk.ts'
import type { ResumableRequest } from './ResumableRequest.ts'
import {
  requirePermission,
  requireSizeAllowed,
  requireTypeAllowed,
  parseObjectMetadata,
} from './requireUploadAllowed.ts'
import { tusErrors } from './TusError.ts'
import { formatUploadId } from './uploadId.ts'
import { readCacheControl } from './uploadMetadata.ts'
import type { OpenUpload } from './createUploadStore.ts'

/** Limits of unfinished uploads for each account: their number, and their total size in multiples of the largest file. */
const maxOpenUploads = 100
const maxOpenSizeFactor = 20

/**
 * `POST /upload/resumable`: checks what a plain upload checks, in upstream's order, and stores the first bytes where
 * the request has a body. Responds 201 with the URL of the upload in `Location`.
 */
export async function createUpload(request: ResumableRequest, c: StorageContext): Promise<Response> {
  const { storage, uploads, operation } = request
  const { incoming } = c.env
  const protocol = readTusHeaders(incoming.headers)
  if (incoming.headers['upload-concat'] !== undefined) throw tusErrors.noConcatenation()
  if ((protocol.length === undefined) === !protocol.deferred) throw tusErrors.lengthRequired()
  const checksum = readChecksum(incoming.headers['upload-checksum'])
  const { metadata } = protocol
  if (!metadata) throw errors.invalidRequest('Metadata header is required')

  const id = {
    bucket: metadata.get('bucketName') ?? '',
    name: metadata.get('objectName') ?? '',
    version: randomUUID(),
  }
  requireBucketName(id.bucket)
  requireObjectName(id.name)
  const planned = {
    bucket: id.bucket,
    name: id.name,
    length: protocol.length ?? null,
    mimetype: cleanMimeType(metadata.get('contentType')),
    userMetadata: parseObjectMetadata(metadata),
  }
  const { bucket, limit } = await requireSizeAllowed(storage, c, operation, planned)
  const principal = await resolvePrincipal(storage, c, { bearer: request.bearer, target: id })
  await requirePermission(storage, c, { principal, operation, planned })
  requireTypeAllowed(bucket, planned)
  const bodyLength = protocol.hasChunk ? readContentLength(incoming) : 0
  if ((bodyLength ?? 0) > (planned.length ?? limit)) throw tusErrors.sizeExceeded()
  await storage.bytes.requireSpace(planned.length ?? bodyLength ?? 0)

  const upload = await uploads.create(
    {
      ...id,
      length: planned.length,
      offset: 0,
      by: principal.uploadOwner,
      account: principal.account ?? '',
      mimetype: planned.mimetype,
      cacheControl: readCacheControl(metadata),
      metadata: protocol.metadataText,
      created: request.now(),
    },
    principal.account === null
      ? null
      : { number: maxOpenUploads, bytes: maxOpenSizeFactor * storage.maxFileSize },
  )
  const offset = await receiveFirstChunk(upload)
  const path = `${request.root}/${formatUploadId(id)}`
  c.header('Location', path)
  if (protocol.hasChunk) c.header('Upload-Offset', String(offset))
  if (offset === planned.length) c.header('Tus-Complete', '1')
  else c.header('Upload-Expires', new Date(uploads.expiryOf(upload.record)).toUTCString())
  return c.body(null, 201)

  /** Stores the body of the request and returns the offset after it. */
  async function receiveFirstChunk(created: OpenUpload): Promise<number> {
    const chunk = protocol.hasChunk ? openChunk(incoming) : null
    const unlock = await created.lock.acquire(() => chunk?.release())
    try {
      let received = { offset: 0, hash: created.hash }
      if (chunk) {
        received = await receiveChunk(uploads, created, chunk, {
          limit: planned.length ?? limit,
          checksum,
          countWritten: storage.bytes.countWritten,
        })
      }
      if (received.offset === planned.length)
        await finishUpload(request, c, { upload: created, principal, hash: received.hash })
      return received.offset
    } catch (error) {
      // Its URL was never sent, so it can't be resumed.
      if (!created.isUncertain) await uploads.remove(created)
      throw error
    } finally {
      unlock()
    }
  }
}
