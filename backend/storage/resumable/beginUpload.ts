import { randomUUID } from 'node:crypto'
import { failures } from '../failures.ts'
import { cleanMimeType } from '../mimeType.ts'
import { requireBucketName, requireObjectName } from '../names.ts'
import type { StorageContext } from '../Storage.ts'
import { askerOf } from './askerOf.ts'
import { readChecksum } from './checksum.ts'
import { contentLengthOf } from './contentLengthOf.ts'
import { finishUpload } from './finishUpload.ts'
import { openPiece } from './openPiece.ts'
import { readProtocol } from './readProtocol.ts'
import { receivePiece } from './receivePiece.ts'
import type { ResumableRequest } from './ResumableRequest.ts'
import { requireRight, requireSize, requireType, userMetadataOf } from './requireUpload.ts'
import { tusFailures } from './TusFailure.ts'
import { formatUploadId } from './uploadId.ts'
import { cacheControlOf } from './uploadMetadata.ts'
import type { OpenUpload } from './createUploads.ts'

/** Unfinished uploads of one person: as many at once, and together as many times the largest file. */
const mostOpen = 100
const mostLargest = 20

/**
 * `POST /upload/resumable`: asks what a plain upload asks, in upstream's order, and takes the first bytes where the
 * request brings some. Answers 201 with the upload's address in `Location`.
 */
export async function beginUpload(request: ResumableRequest, c: StorageContext): Promise<Response> {
  const { storage, uploads, operation } = request
  const { incoming } = c.env
  const protocol = readProtocol(incoming.headers)
  if (incoming.headers['upload-concat'] !== undefined) throw tusFailures.noConcatenation()
  if ((protocol.length === undefined) === !protocol.deferred) throw tusFailures.lengthRequired()
  const checksum = readChecksum(incoming.headers['upload-checksum'])
  const { metadata } = protocol
  if (!metadata) throw failures.invalidRequest('Metadata header is required')

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
    userMetadata: userMetadataOf(metadata),
  }
  const { bucket, limit } = await requireSize(storage, c, operation, planned)
  const asker = await askerOf(storage, c, { bearer: request.bearer, target: id })
  await requireRight(storage, c, { asker, operation, planned })
  requireType(bucket, planned)
  const brought = protocol.hasPiece ? contentLengthOf(incoming) : 0
  if ((brought ?? 0) > (planned.length ?? limit)) throw tusFailures.sizeExceeded()
  await storage.bytes.requireRoom(planned.length ?? brought ?? 0)

  const upload = await uploads.create(
    {
      ...id,
      length: planned.length,
      offset: 0,
      by: asker.by,
      account: asker.account ?? '',
      mimetype: planned.mimetype,
      cacheControl: cacheControlOf(metadata),
      metadata: protocol.metadataText,
      created: request.now(),
    },
    asker.account === null ? null : { number: mostOpen, bytes: mostLargest * storage.maxFileSize },
  )
  const offset = await take(upload)
  const path = `${request.root}/${formatUploadId(id)}`
  c.header('Location', path)
  if (protocol.hasPiece) c.header('Upload-Offset', String(offset))
  if (offset === planned.length) c.header('Tus-Complete', '1')
  else c.header('Upload-Expires', new Date(uploads.expiryOf(upload.record)).toUTCString())
  return c.body(null, 201)

  /** The offset after what the request itself brings. */
  async function take(made: OpenUpload): Promise<number> {
    const piece = protocol.hasPiece ? openPiece(incoming) : null
    const unlock = await made.lock.acquire(() => piece?.letGo())
    try {
      let got = { offset: 0, hash: made.hash }
      if (piece) {
        const { requireRoom } = storage.bytes
        got = await receivePiece(uploads, made, piece, {
          limit: planned.length ?? limit,
          checksum,
          requireRoom,
        })
      }
      if (got.offset === planned.length)
        await finishUpload(request, c, { upload: made, asker, hash: got.hash })
      return got.offset
    } catch (error) {
      // Its address was never told, so nobody can go on with it.
      if (!made.isUncertain) await uploads.remove(made)
      throw error
    } finally {
      unlock()
    }
  }
}
