import { findBucket } from '../../bucket/findBucket.ts'
import { errors } from '../../errors.ts'
import { cleanMimeType, requireAllowedType } from '../../mimeType.ts'
import { isFolderPlaceholder } from '../../names.ts'
import type { Operation } from '../../operations.ts'
import type { Storage, StorageContext } from '../../Storage.ts'
import type { ObjectMetadata } from '../rows.ts'
import { maxFileBytesOf } from './storeUpload.ts'

/**
 * Whether a bucket takes what comes from another object rather than from an upload. Upstream doesn't ask, and so lets
 * anyone into a bucket for small pictures who may write to another one first. To be asked after the policies, for the
 * limits of a bucket are not everybody's to know. Throws InvalidMimeType and EntityTooLarge.
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
