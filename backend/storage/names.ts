import { errors } from './errors.ts'

const objectName = /^[A-Za-z0-9_/!.*'() &$=@;:+,?-]+$/
const bucketName = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]{1,100}$/

/** S3's limit, in bytes; longer names would also outgrow the index. */
const maxNameBytes = 1024

/**
 * Names of objects are ASCII: letters, digits and what S3 takes without escaping trouble.
 * Throws InvalidKey. Dots and slashes are harmless, since no path on disk is made of them.
 */
export function requireObjectName(name: string): void {
  if (name.length > maxNameBytes || !objectName.test(name))
    throw errors.invalidKey(name.slice(0, maxNameBytes))
}

/** Like objects' names, without slashes, 100 characters at most. Throws InvalidBucketName. */
export function requireBucketName(name: string): void {
  if (!bucketName.test(name)) throw errors.invalidBucketName()
}

/** The name that the dashboard gives to what keeps an empty folder visible; it must be empty. */
export function isFolderPlaceholder(name: string): boolean {
  return name.endsWith('.emptyFolderPlaceholder')
}
