import { i18n } from '@lingui/core'
import type { Profile } from '../../../wire/people.ts'

interface WithProfile {
  profile: Profile
}

const displayed = new WeakMap<WithProfile, WithProfile>()

/** The member as displayed: a person whose data were erased has an empty name, and is called "Former member". */
export function displayedMember<M extends WithProfile | undefined>(member: M): M {
  if (!member || member.profile.name) return member
  const named = displayed.get(member) ?? {
    ...member,
    profile: { ...member.profile, name: i18n._('Former member') },
  }
  displayed.set(member, named)
  return named as M
}
