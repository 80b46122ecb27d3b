import { findBucket } from '../bucket/findBucket.ts'
import type { BucketRow } from '../bucket/bucketRows.ts'
import { requireAllowedType } from '../mimeType.ts'
import { isFolderPlaceholder } from '../names.ts'
import { maxFileBytesOf, requireWriteAllowed } from '../object/writing/storeUpload.ts'
import { parseUserMetadata } from '../object/writing/openUpload.ts'
import type { Operation } from '../operations.ts'
import type { Storage, StorageContext } from '../Storage.ts'
import type { UploadPrincipal } from './UploadPrincipal.ts'
import { tusErrors } from './TusError.ts'
import { parseUploadMetadata } from './uploadMetadata.ts'
import type { UploadMetadata } from './uploadMetadata.ts'

/** Properties of an upload for which permissions and limits are checked. */
export interface PlannedUpload {
  bucket: string
  name: string
  length: number | null
  mimetype: string
  userMetadata: Record<string, unknown> | null
}

/** The object's metadata, JSON in the key `metadata`; null where absent or invalid. */
export function parseObjectMetadata(metadata: UploadMetadata | string): Record<string, unknown> | null {
  const map = typeof metadata === 'string' ? parseUploadMetadata(metadata) : metadata
  const json = map?.get('metadata')
  return json === undefined ? null : parseUserMetadata(json)
}

/**
 * The bucket and its maximum size of the file. Throws NoSuchBucket, and 413 where the planned length exceeds it.
 */
export async function requireSizeAllowed(
  storage: Storage,
  c: StorageContext,
  operation: Operation,
  planned: PlannedUpload,
): Promise<{ bucket: BucketRow; limit: number }> {
  const bucket = await findBucket(storage, c, operation, planned.bucket)
  const limit = maxFileBytesOf(storage, bucket, planned.name)
  if ((planned.length ?? 0) > limit) throw tusErrors.tooLarge()
  return { bucket, limit }
}

/** Throws the error of the policies for such a write by the principal, which is rolled back. */
export async function requirePermission(
  storage: Storage,
  c: StorageContext,
  o: { principal: UploadPrincipal; operation: Operation; planned: PlannedUpload },
): Promise<void> {
  // As upstream: the creator of the signature had permission, the policies are not checked again.
  if (o.principal.isSigned) return
  const { bucket, name, mimetype, length, userMetadata } = o.planned
  await requireWriteAllowed(storage, c, {
    caller: o.principal.caller,
    operation: o.operation,
    upsert: o.principal.upsert,
    draft: {
      bucket,
      name,
      owner: o.principal.owner,
      metadata: { mimetype, ...(length !== null && { contentLength: length }) },
      userMetadata,
    },
  })
}

/** Throws InvalidMimeType where the bucket does not take files of that type. */
export function requireTypeAllowed(bucket: BucketRow, planned: PlannedUpload): void {
  if (!isFolderPlaceholder(planned.name)) requireAllowedType(planned.mimetype, bucket.allowed_mime_types)
}
