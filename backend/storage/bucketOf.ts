import { requireBucketName } from './names.ts'
import type { StorageContext } from './Storage.ts'

/** The bucket in a path. Throws InvalidBucketName. */
export function readBucketName(c: StorageContext): string {
  const bucket = c.req.param('bucket') ?? ''
  requireBucketName(bucket)
  return bucket
}
