import { errors } from './errors.ts'

const objectName = /^[A-Za-z0-9_/!.*'() &$=@;:+,?-]+$/
const bucketName = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]{1,100}$/

/** S3's limit, in bytes; longer names would also outgrow the index. */
const maxNameBytes = 1024

/**
 * Names of objects are ASCII: letters, digits and characters that S3 considers safe.
 * Throws InvalidKey. Dots and slashes are harmless, since paths on disk don't contain names.
 */
export function requireObjectName(name: string): void {
  if (name.length > maxNameBytes || !objectName.test(name))
    throw errors.invalidKey(name.slice(0, maxNameBytes))
}

/** Like objects' names, without slashes, 100 characters at most. Throws InvalidBucketName. */
export function requireBucketName(name: string): void {
  if (!bucketName.test(name)) throw errors.invalidBucketName()
}

/** The placeholder object by which the dashboard keeps an empty folder visible; it must be empty. */
export function isFolderPlaceholder(name: string): boolean {
  return name.endsWith('.emptyFolderPlaceholder')
}
