import { requireBucketName } from './names.ts'
import type { StorageContext } from './Storage.ts'

/** The bucket that a path names. Throws InvalidBucketName. */
export function readBucketName(c: StorageContext): string {
  const bucket = c.req.param('bucket') ?? ''
  requireBucketName(bucket)
  return bucket
}
