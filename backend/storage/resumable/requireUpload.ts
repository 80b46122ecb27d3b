import { findBucket } from '../bucket/findBucket.ts'
import type { BucketRow } from '../bucket/rows.ts'
import { requireAllowedType } from '../mimeType.ts'
import { isFolderPlaceholder } from '../names.ts'
import { limitOf, requireWrite } from '../object/writing/storeUpload.ts'
import { parseUserMetadata } from '../object/writing/openUpload.ts'
import type { Operation } from '../operations.ts'
import type { Storage, StorageContext } from '../Storage.ts'
import type { Asker } from './askerOf.ts'
import { tusFailures } from './TusFailure.ts'
import { parseUploadMetadata } from './uploadMetadata.ts'
import type { UploadMetadata } from './uploadMetadata.ts'

/** The facts of an upload that rights and limits are asked about. */
export interface Planned {
  bucket: string
  name: string
  length: number | null
  mimetype: string
  userMetadata: Record<string, unknown> | null
}

/** The object's metadata, JSON in the key `metadata`; null where it is none. */
export function userMetadataOf(metadata: UploadMetadata | string): Record<string, unknown> | null {
  const map = typeof metadata === 'string' ? parseUploadMetadata(metadata) : metadata
  const json = map?.get('metadata')
  return json === undefined ? null : parseUserMetadata(json)
}

/**
 * The bytes that the bucket takes in a file of that name. Throws NoSuchBucket, and 413 where the planned length is
 * beyond it.
 */
export async function requireSize(
  storage: Storage,
  c: StorageContext,
  operation: Operation,
  planned: Planned,
): Promise<{ bucket: BucketRow; limit: number }> {
  const bucket = await findBucket(storage, c, operation, planned.bucket)
  const limit = limitOf(storage, bucket, planned.name)
  if ((planned.length ?? 0) > limit) throw tusFailures.tooLarge()
  return { bucket, limit }
}

/** Throws what the policies say of such a write by the asker, tried and taken back. */
export async function requireRight(
  storage: Storage,
  c: StorageContext,
  o: { asker: Asker; operation: Operation; planned: Planned },
): Promise<void> {
  // As upstream: a signature was given out by someone who had the right, the policies are not asked again.
  if (o.asker.isSigned) return
  const { bucket, name, mimetype, length, userMetadata } = o.planned
  await requireWrite(storage, c, {
    caller: o.asker.caller,
    operation: o.operation,
    upsert: o.asker.upsert,
    draft: {
      bucket,
      name,
      owner: o.asker.owner,
      metadata: { mimetype, ...(length !== null && { contentLength: length }) },
      userMetadata,
    },
  })
}

/** Throws InvalidMimeType where the bucket does not take files of that type. */
export function requireType(bucket: BucketRow, planned: Planned): void {
  if (!isFolderPlaceholder(planned.name)) requireAllowedType(planned.mimetype, bucket.allowed_mime_types)
}
