import { createHash } from 'node:crypto'
import type { Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { toStorageError } from '../toStorageError.ts'
import { commitVersion } from '../object/writing/commitVersion.ts'
import { requestSettings } from '../requestSettings.ts'
import type { StorageContext } from '../Storage.ts'
import type { UploadPrincipal } from './UploadPrincipal.ts'
import type { OpenUpload } from './createUploadStore.ts'
import type { ResumableRequest } from './ResumableRequest.ts'
import {
  requirePermission,
  requireSizeAllowed,
  requireTypeAllowed,
  parseObjectMetadata,
} from './requireUploadAllowed.ts'

async function hashFile(path: string): Promise<Hash> {
  const hash = createHash('md5')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }))
    hash.update(chunk as Buffer)
  return hash
}

/**
 * Creates the object of a complete upload, as a plain upload does: limits and policies are checked again, since
 * permissions may have been revoked meanwhile; then the file is published, then the row is written. Upstream replaces
 * any object that has the name meanwhile; Linnet does so only with `x-upsert`.
 *
 * On a throw the upload stays at the offset before its last chunk, which the client may send again.
 */
export async function finishUpload(
  { storage, uploads, operation }: ResumableRequest,
  c: StorageContext,
  o: { upload: OpenUpload; principal: UploadPrincipal; hash: Hash | null },
): Promise<void> {
  const { upload, principal } = o
  const { record } = upload
  const length = record.length!
  const planned = { ...record, userMetadata: parseObjectMetadata(record.metadata) }
  const { bucket } = await requireSizeAllowed(storage, c, operation, planned)
  requireTypeAllowed(bucket, planned)
  const hash = o.hash ?? (await hashFile(upload.path))
  await requirePermission(storage, c, { principal, operation, planned })
  try {
    await commitVersion(storage, requestSettings(c, operation), {
      bucket: record.bucket,
      name: record.name,
      version: record.version,
      from: upload.path,
      owner: principal.owner,
      metadata: {
        eTag: `"${hash.digest('hex')}"`,
        size: length,
        mimetype: record.mimetype,
        cacheControl: record.cacheControl,
        lastModified: new Date().toISOString(),
        contentLength: length,
        httpStatusCode: 200,
      },
      userMetadata: planned.userMetadata ?? {},
      writer: principal.caller,
      upsert: principal.upsert,
    })
  } catch (error) {
    const { statusCode } = toStorageError(error)
    upload.isUncertain = statusCode >= 500 && statusCode !== 507
    throw error
  }
  await uploads.remove(upload)
}
