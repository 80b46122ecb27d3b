import { errors } from '../errors.ts'
import { requireBucketName, requireObjectName } from '../names.ts'

/** What an upload's address says; `version` is the only part that names anything on disk. */
export interface UploadId {
  bucket: string
  name: string
  /** Of the object to be, a random UUID: whoever has not been told it can't name the upload. */
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
