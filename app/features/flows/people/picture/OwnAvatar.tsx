import { i18n } from '@lingui/core'
import { changeAvatar, removeAvatar } from '../../../../data/people/ownAvatar.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { Avatar } from '../../../parts/members/avatar/Avatar.tsx'
import { PictureSetting } from './PictureSetting.tsx'

/** The user's own picture. */
export function OwnAvatar() {
  const { profile } = useMe()
  return (
    <PictureSetting
      labels={{
        field: i18n._('Picture'),
        upload: i18n._('Upload picture'),
        change: i18n._('Change picture'),
        remove: i18n._('Remove picture'),
      }}
      hasPicture={profile.avatar !== null}
      save={changeAvatar}
      remove={removeAvatar}
    >
      <Avatar id={profile.id} name={profile.name} size={56} />
    </PictureSetting>
  )
}
