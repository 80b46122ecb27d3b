import type { StorageContext } from '../Storage.ts'
import { errors } from '../errors.ts'
import { requireBucketName, requireObjectName } from '../names.ts'

/** The bucket in a path. Throws InvalidBucketName. */
export function readBucketName(c: StorageContext): string {
  const bucket = c.req.param('bucket') ?? ''
  requireBucketName(bucket)
  return bucket
}

/** The bucket and object in a path, decoded once and validated. Throws InvalidBucketName, InvalidKey. */
export function readTarget(c: StorageContext): { bucket: string; name: string } {
  const bucket = readBucketName(c)
  const name = c.req.param('name') ?? ''
  requireObjectName(name)
  return { bucket, name }
}

/** The token of a link, from its query. Throws where there is none. */
export function readToken(c: StorageContext): string {
  const token = c.req.query('token')
  if (token === undefined) throw errors.invalidBody("querystring must have required property 'token'")
  return token
}
