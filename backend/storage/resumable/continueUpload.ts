import type { StorageContext } from '../Storage.ts'
import { resolvePrincipal } from './UploadPrincipal.ts'
import { readChecksum } from './checksum.ts'
import { type TusHeaders, readContentLength, readTusHeaders } from './readTusHeaders.ts'
import type { OpenUpload } from './createUploadStore.ts'
import { findFinished, findUpload } from './findUpload.ts'
import { finishUpload } from './finishUpload.ts'
import { openChunk } from './openChunk.ts'
import { receiveChunk } from './receiveChunk.ts'
import { requirePermission, requireSizeAllowed, parseObjectMetadata } from './requireUploadAllowed.ts'
import type { ResumableRequest } from './ResumableRequest.ts'
import { resolveUncertain } from './settleUploads.ts'
import { tusErrors } from './TusError.ts'
import type { UploadId } from './uploadId.ts'

/** Sets a deferred length. Throws 400 where the length is known already, or the upload exceeds it. */
async function declareLength(
  { uploads }: ResumableRequest,
  upload: OpenUpload,
  o: { length: number; limit: number },
): Promise<void> {
  const { record } = upload
  if (record.length !== null || o.length < record.offset) throw tusErrors.lengthRequired()
  if (o.length > o.limit) throw tusErrors.tooLarge()
  await uploads.save(upload, { length: o.length })
}

/** Maximum bytes of this chunk. Throws 413 where it declares more. */
function remainingBytes(upload: OpenUpload, limit: number, announced: number | undefined): number {
  const remaining = Math.max(0, (upload.record.length ?? limit) - upload.record.offset)
  if ((announced ?? 0) > remaining) throw tusErrors.sizeExceeded()
  return remaining
}

function requireOffset(protocol: TusHeaders, offset: number): void {
  if (protocol.offset !== offset) throw tusErrors.offsetConflict()
}

/**
 * `PATCH`: the next chunk, at the current offset of the upload. Policies and limits are checked before the body is read.
 * Bytes received before the connection is lost, or before another request takes over, are stored. The last chunk creates
 * the object, and the response has `Tus-Complete: 1`.
 */
export async function continueUpload(
  request: ResumableRequest,
  c: StorageContext,
  id: UploadId,
): Promise<Response> {
  const { storage, uploads, operation } = request
  const { incoming } = c.env
  const protocol = readTusHeaders(incoming.headers)
  if (protocol.offset === undefined) throw tusErrors.offsetRequired()
  if (!protocol.hasChunk) throw tusErrors.wrongContentType()
  const checksum = readChecksum(incoming.headers['upload-checksum'])
  const principal = await resolvePrincipal(storage, c, { bearer: request.bearer, target: id })
  if (!uploads.find(id.version)) {
    // Already complete: repeating the end is no conflict, anything else is.
    const size = await findFinished(request, c, { id, principal })
    if (size === null) throw tusErrors.notFound()
    requireOffset(protocol, size)
    if (readContentLength(incoming) !== 0) throw tusErrors.sizeExceeded()
    return respond(size, true)
  }
  const upload = findUpload(request, id, principal)
  const { record } = upload
  const planned = { ...record, userMetadata: parseObjectMetadata(record.metadata) }
  await requirePermission(storage, c, { principal, operation, planned })
  const { limit } = await requireSizeAllowed(storage, c, operation, planned)

  const chunk = openChunk(incoming)
  const unlock = await upload.lock.acquire(chunk.release)
  try {
    await resolveUncertain(storage, uploads, upload)
    if (uploads.find(id.version) !== upload) throw tusErrors.gone()
    if (uploads.isExpired(upload)) throw tusErrors.gone()
    requireOffset(protocol, record.offset)
    if (protocol.length !== undefined)
      await declareLength(request, upload, { length: protocol.length, limit })
    const remaining = remainingBytes(upload, limit, readContentLength(incoming))
    await storage.bytes.requireSpace(readContentLength(incoming) ?? 0)
    const { offset, hash } = await receiveChunk(uploads, upload, chunk, {
      limit: remaining,
      checksum,
      countWritten: storage.bytes.countWritten,
    })
    const isComplete = offset === record.length
    if (isComplete) await finishUpload(request, c, { upload, principal, hash })
    return respond(offset, isComplete)
  } finally {
    chunk.release()
    unlock()
  }

  function respond(offset: number, isComplete: boolean): Response {
    c.header('Upload-Offset', String(offset))
    if (isComplete) c.header('Tus-Complete', '1')
    else c.header('Upload-Expires', new Date(uploads.expiryOf(upload!.record)).toUTCString())
    return c.body(null, 204)
  }
}
