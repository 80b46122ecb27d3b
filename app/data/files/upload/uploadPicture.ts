import { i18n } from '@lingui/core'
import type { Uuid } from '../../../../wire/scalars.ts'
import {
  createFailure,
  failureFrom,
  registerSentences,
  success,
  type Failure,
  type Outcome,
} from '../../failures/failures.ts'
import { StorageError, uploadAvatar } from '../storageClient.ts'

const EXTENSIONS: Record<string, string> = { 'image/webp': 'webp', 'image/jpeg': 'jpg' }

/**
 * Uploads an image (WebP or JPEG) of a person or workspace; returns its path. Each version has its own path, so that
 * caches never display an old one. The database deletes the previous version, and uploads that nothing uses.
 */
export async function uploadPicture(owner: Uuid, image: Blob): Promise<Outcome<string>> {
  const path = `${owner}/${crypto.randomUUID()}.${EXTENSIONS[image.type] ?? 'jpg'}`
  try {
    await uploadAvatar(path, image)
    return success(path)
  } catch (error) {
    return { ok: false, failure: pictureFailure(error) }
  }
}

registerSentences({
  too_many_pictures: () => i18n._('You’ve uploaded too many pictures. Try again later.'),
})

/** Why a picture was not stored. Some servers return the name of the failure, others only that it was refused. */
export function pictureFailure(error: unknown): Failure {
  if (error instanceof StorageError && (error.status === 403 || error.statusCode === '403'))
    return { ...createFailure('too_many_pictures'), isRetryable: true }
  return failureFrom(error)
}
