import { readBucketName } from '../bucketOf.ts'
import { requireObjectName } from '../names.ts'
import type { StorageContext } from '../Storage.ts'

/** The bucket and object in a path, decoded once and validated. Throws InvalidBucketName, InvalidKey. */
export function readTarget(c: StorageContext): { bucket: string; name: string } {
  const bucket = readBucketName(c)
  const name = c.req.param('name') ?? ''
  requireObjectName(name)
  return { bucket, name }
}
