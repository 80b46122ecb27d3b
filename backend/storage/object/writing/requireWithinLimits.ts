import { findBucket } from '../../bucket/findBucket.ts'
import { errors } from '../../errors.ts'
import { cleanMimeType, requireAllowedType } from '../../mimeType.ts'
import { isFolderPlaceholder } from '../../names.ts'
import type { Operation } from '../../operations.ts'
import type { Storage, StorageContext } from '../../Storage.ts'
import type { ObjectMetadata } from '../objectRows.ts'
import { maxFileBytesOf } from './storeUpload.ts'

/**
 * Applies a bucket's limits to copied and moved objects. Upstream doesn't, so that its limits can be bypassed through
 * another bucket. Called after the policies, as not everybody may know the limits of a bucket. Throws InvalidMimeType
 * and EntityTooLarge.
 */
export async function requireWithinLimits(
  storage: Storage,
  c: StorageContext,
  o: { bucket: string; name: string; operation: Operation; metadata: ObjectMetadata | null },
): Promise<void> {
  const bucket = await findBucket(storage, c, o.operation, o.bucket)
  if ((o.metadata?.size ?? 0) > maxFileBytesOf(storage, bucket, o.name)) throw errors.entityTooLarge()
  if (isFolderPlaceholder(o.name)) return
  requireAllowedType(cleanMimeType(o.metadata?.mimetype), bucket.allowed_mime_types)
}
