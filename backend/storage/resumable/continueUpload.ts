import type { StorageContext } from '../Storage.ts'
import { askerOf } from './askerOf.ts'
import { readChecksum } from './checksum.ts'
import { contentLengthOf } from './contentLengthOf.ts'
import type { OpenUpload } from './createUploads.ts'
import { findFinished, findUpload } from './findUpload.ts'
import { finishUpload } from './finishUpload.ts'
import { openPiece } from './openPiece.ts'
import { readProtocol } from './readProtocol.ts'
import type { ProtocolHeaders } from './readProtocol.ts'
import { receivePiece } from './receivePiece.ts'
import { requireRight, requireSize, userMetadataOf } from './requireUpload.ts'
import type { ResumableRequest } from './ResumableRequest.ts'
import { settleUncertain } from './settleUploads.ts'
import { tusFailures } from './TusFailure.ts'
import type { UploadId } from './uploadId.ts'

/** Takes the length that was deferred so far. Throws 400 where one is known, or the upload is beyond it. */
async function declareLength(
  { uploads }: ResumableRequest,
  upload: OpenUpload,
  o: { length: number; limit: number },
): Promise<void> {
  const { record } = upload
  if (record.length !== null || o.length < record.offset) throw tusFailures.lengthRequired()
  if (o.length > o.limit) throw tusFailures.tooLarge()
  await uploads.save(upload, { length: o.length })
}

/** Bytes that this piece may have. Throws 413 where it announces more. */
function roomOf(upload: OpenUpload, limit: number, announced: number | undefined): number {
  const room = Math.max(0, (upload.record.length ?? limit) - upload.record.offset)
  if ((announced ?? 0) > room) throw tusFailures.sizeExceeded()
  return room
}

function requireOffset(protocol: ProtocolHeaders, offset: number): void {
  if (protocol.offset !== offset) throw tusFailures.offsetConflict()
}

/**
 * `PATCH`: the next piece, at the offset that the upload has reached. Policies and limits are asked before a byte is
 * read. What has come when the connection breaks, or another request takes over, is kept. The last one makes the
 * object, and answers with `Tus-Complete: 1`.
 */
export async function continueUpload(
  request: ResumableRequest,
  c: StorageContext,
  id: UploadId,
): Promise<Response> {
  const { storage, uploads, operation } = request
  const { incoming } = c.env
  const protocol = readProtocol(incoming.headers)
  if (protocol.offset === undefined) throw tusFailures.offsetRequired()
  if (!protocol.hasPiece) throw tusFailures.wrongContentType()
  const checksum = readChecksum(incoming.headers['upload-checksum'])
  const asker = await askerOf(storage, c, { bearer: request.bearer, target: id })
  if (!uploads.find(id.version)) {
    // Complete: the same end once more is no conflict, anything else is.
    const size = await findFinished(request, c, { id, asker })
    if (size === null) throw tusFailures.notFound()
    requireOffset(protocol, size)
    if (contentLengthOf(incoming) !== 0) throw tusFailures.sizeExceeded()
    return answer(size, true)
  }
  const upload = findUpload(request, id, asker)
  const { record } = upload
  const planned = { ...record, userMetadata: userMetadataOf(record.metadata) }
  await requireRight(storage, c, { asker, operation, planned })
  const { limit } = await requireSize(storage, c, operation, planned)

  const piece = openPiece(incoming)
  const unlock = await upload.lock.acquire(piece.letGo)
  try {
    await settleUncertain(storage, uploads, upload)
    if (uploads.find(id.version) !== upload) throw tusFailures.gone()
    if (uploads.isExpired(upload)) throw tusFailures.gone()
    requireOffset(protocol, record.offset)
    if (protocol.length !== undefined)
      await declareLength(request, upload, { length: protocol.length, limit })
    const room = roomOf(upload, limit, contentLengthOf(incoming))
    const { requireRoom } = storage.bytes
    await requireRoom(contentLengthOf(incoming) ?? 0)
    const { offset, hash } = await receivePiece(uploads, upload, piece, {
      limit: room,
      checksum,
      requireRoom,
    })
    const isComplete = offset === record.length
    if (isComplete) await finishUpload(request, c, { upload, asker, hash })
    return answer(offset, isComplete)
  } finally {
    piece.letGo()
    unlock()
  }

  function answer(offset: number, isComplete: boolean): Response {
    c.header('Upload-Offset', String(offset))
    if (isComplete) c.header('Tus-Complete', '1')
    else c.header('Upload-Expires', new Date(uploads.expiryOf(upload!.record)).toUTCString())
    return c.body(null, 204)
  }
}
