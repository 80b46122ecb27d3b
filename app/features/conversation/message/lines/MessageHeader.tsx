import { i18n } from '@lingui/core'
import { formatDateTime, formatTime } from '../../../../ui/dates.ts'
import { PersonButton } from '../../../parts/members/PersonButton.tsx'
import { StatusEmoji } from '../../../parts/members/StatusEmoji.tsx'
import styles from '../MessageRow.module.css'

interface Props {
  /** Profile id. */
  id: string
  name: string
  at: string
  isBot?: boolean
  /** Tab reaches the name only in the row that it focuses, or each run would be a tab stop. */
  tabStop: boolean
}

/** Name, status and time above the first message of a run; the name opens the profile. */
export function MessageHeader({ id, name, at, isBot, tabStop }: Props) {
  return (
    <div className={styles.author}>
      <PersonButton id={id} className={styles.name} tabIndex={tabStop ? 0 : -1}>
        <bdi>{name}</bdi>
      </PersonButton>
      {isBot ? <span className={styles.bot}>{i18n._('Bot')}</span> : null}
      <StatusEmoji id={id} />
      <time className={styles.time} dateTime={at} title={formatDateTime(at)}>
        {formatTime(at)}
      </time>
    </div>
  )
}
