import { Avatar } from '../../parts/members/avatar/Avatar.tsx'
import { ConversationIcon } from './ConversationIcon.tsx'
import styles from './DestinationIcon.module.css'
import type { Destination } from './useDestinations.ts'

/** The icon of a conversation or the avatar of a person, as wide in each row. */
export function DestinationIcon({ destination: { id, name, conversation } }: { destination: Destination }) {
  return (
    <span className={styles.icon}>
      {conversation ? <ConversationIcon item={conversation} /> : <Avatar id={id} name={name} size={20} />}
    </span>
  )
}
