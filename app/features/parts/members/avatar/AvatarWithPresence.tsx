import type { PresenceState } from '../../../../../wire/people.ts'
import { PresenceDot } from '../../../../ui/PresenceDot.tsx'
import { Avatar } from './Avatar.tsx'
import styles from './AvatarWithPresence.module.css'

interface Props {
  id: string
  name: string
  presence: PresenceState
  /** For screen readers; empty where visible text states it. */
  label: string
}

/** A small avatar with its person's presence at the corner. */
export function AvatarWithPresence({ id, name, presence, label }: Props) {
  return (
    <span className={styles.both}>
      <Avatar id={id} name={name} size={20} />
      <span className={styles.presence}>
        <PresenceDot state={presence} label={label} />
      </span>
    </span>
  )
}
