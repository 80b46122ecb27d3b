import type { Outcome } from '../failures/failures.ts'
import { uploadPicture } from '../files/upload/uploadPicture.ts'
import { getClientSession } from '../session/clientSession.ts'
import { updateProfile } from './profile.ts'
import { noWorkspace } from '../workspaces/workspace.ts'

/** Uploads an image (WebP or JPEG) as the user's avatar. */
export async function changeAvatar(image: Blob): Promise<Outcome> {
  const me = getClientSession()?.store.get().me
  if (!me) return noWorkspace()
  const uploaded = await uploadPicture(me.profile.id, image)
  return uploaded.ok ? updateProfile({ avatar: uploaded.value }) : uploaded
}

export function removeAvatar(): Promise<Outcome> {
  return updateProfile({ avatar: null })
}
