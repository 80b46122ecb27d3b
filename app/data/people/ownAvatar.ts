import { i18n } from '@lingui/core'
import { failureFrom } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { StorageError, uploadAvatar } from '../files/storageClient.ts'
import { getClientSession } from '../session/clientSession.ts'
import { updateProfile } from './profile.ts'
import { noWorkspace } from './workspace.ts'

const EXTENSIONS: Record<string, string> = { 'image/webp': 'webp', 'image/jpeg': 'jpg' }

/**
 * Uploads an image (WebP or JPEG) as the user's avatar. Each version has its own path, so that caches never display an
 * old one. The database deletes the previous version, and uploads that no profile uses.
 */
export async function changeAvatar(image: Blob): Promise<Outcome> {
  const me = getClientSession()?.store.get().me
  if (!me) return noWorkspace()
  const path = `${me.profile.id}/${crypto.randomUUID()}.${EXTENSIONS[image.type] ?? 'jpg'}`
  try {
    await uploadAvatar(path, image)
  } catch (error) {
    if (error instanceof StorageError && (error.status === 403 || error.statusCode === '403'))
      return { ok: false, failure: tooManyAvatars() }
    return { ok: false, failure: failureFrom(error) }
  }
  return updateProfile({ avatar: path })
}

export function removeAvatar(): Promise<Outcome> {
  return updateProfile({ avatar: null })
}

/** Storage keeps at most 20 versions of a person until old ones are deleted. */
function tooManyAvatars() {
  const message = i18n._('You’ve changed your picture too often. Try again in a few minutes.')
  return { name: 'too_many_avatars', message, isRetryable: true }
}
