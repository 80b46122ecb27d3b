import { errors } from '../errors.ts'
import { requireBucketName, requireObjectName } from '../names.ts'

/** The id in an upload's URL; only `version` is used in paths on disk. */
export interface UploadId {
  bucket: string
  name: string
  /** The version of the future object, a random UUID that can't be guessed. */
  version: string
}

/** `<bucket>/<name>/<version>` in base64url, as upstream forms it. */
export function formatUploadId({ bucket, name, version }: UploadId): string {
  return Buffer.from(`${bucket}/${name}/${version}`).toString('base64url')
}

/** Throws InvalidUploadId, InvalidBucketName or InvalidKey. */
export function parseUploadId(text: string): UploadId {
  const parts = Buffer.from(text, 'base64url').toString('utf8').split('/')
  if (parts.length < 3) throw errors.invalidUploadId('Invalid upload id')
  const bucket = parts.shift()!
  const version = parts.pop()!
  const name = parts.join('/')
  requireBucketName(bucket)
  requireObjectName(name)
  if (version === '') throw errors.invalidUploadId('Version not provided')
  return { bucket, name, version }
}
