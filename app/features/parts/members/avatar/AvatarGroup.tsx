import { Avatar } from './Avatar.tsx'
import styles from './AvatarGroup.module.css'

interface Props {
  people: { id: string; name: string }[]
  /** Maximum number of avatars. */
  max?: number
}

/** The avatars of several people, slightly overlapping. */
export function AvatarGroup({ people, max = 3 }: Props) {
  return (
    <span className={styles.avatars}>
      {people.slice(0, max).map((person) => (
        <Avatar key={person.id} id={person.id} name={person.name} size={20} className={styles.avatar} />
      ))}
    </span>
  )
}
