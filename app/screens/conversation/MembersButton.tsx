import { i18n } from '@lingui/core'
import Users from 'lucide-react/icons/users'
import type { Uuid } from '../../../wire/scalars.ts'
import { useNameOf } from '../../data/people/useNameOf.ts'
import { AvatarGroup } from '../../features/parts/members/avatar/AvatarGroup.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PHONE, useMedia } from '../../ui/useMedia.ts'
import styles from './ChannelHeader.module.css'

interface Props {
  /** Absent while they are not known. */
  people?: readonly { profile_id: Uuid }[] | undefined
  onOpen: () => void
}

/** The button with the first members of a conversation and their number. */
export function MembersButton({ people, onOpen }: Props) {
  const nameOf = useNameOf()
  const isPhone = useMedia(PHONE)
  const count = people?.length ?? 0
  const shownPeople = (people ?? [])
    .slice(0, 3)
    .map(({ profile_id: id }) => ({ id, name: nameOf(id) ?? '?' }))
  return (
    <button
      type="button"
      className={styles.people}
      aria-haspopup="dialog"
      aria-label={
        people
          ? i18n._('{count, plural, one {# person} other {# people}} in this conversation', { count })
          : i18n._('People in this conversation')
      }
      onClick={onOpen}
    >
      {isPhone ? <Icon of={Users} /> : <AvatarGroup people={shownPeople} />}
      <span className={styles.count}>{people ? count : ''}</span>
    </button>
  )
}
