import { Face } from './Face.tsx'
import styles from './Faces.module.css'

interface Props {
  people: { id: string; name: string }[]
  /** How many are drawn at most. */
  most?: number
}

/** A few faces, overlapping a little. */
export function Faces({ people, most = 3 }: Props) {
  return (
    <span className={styles.faces}>
      {people.slice(0, most).map((person) => (
        <Face key={person.id} id={person.id} name={person.name} size={20} className={styles.face} />
      ))}
    </span>
  )
}
