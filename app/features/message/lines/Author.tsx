import { momentOf, timeOf } from '../../../ui/clock.ts'
import { PersonButton } from '../../people/PersonButton.tsx'
import { StatusMark } from '../../people/StatusMark.tsx'
import styles from '../MessageRow.module.css'

interface Props {
  /** Profile id. */
  id: string
  name: string
  at: string
  /** Tab reaches the name in the row that it reaches, or each run would be a stop on the way. */
  tabStop: boolean
}

/** Name, status and time above the first message of a run; the name opens the card. */
export function Author({ id, name, at, tabStop }: Props) {
  return (
    <div className={styles.author}>
      <PersonButton id={id} className={styles.name} tabIndex={tabStop ? 0 : -1}>
        <bdi>{name}</bdi>
      </PersonButton>
      <StatusMark id={id} />
      <time className={styles.time} dateTime={at} title={momentOf(at)}>
        {timeOf(at)}
      </time>
    </div>
  )
}
