import { i18n } from '@lingui/core'
import { formatDay } from '../../../ui/dates.ts'
import styles from './Dividers.module.css'

/** The day of the messages below, between two lines. */
export function DayDivider({ at }: { at: string }) {
  return <div className={styles.day}>{formatDay(at)}</div>
}

/** The red line above the first unread message. */
export function NewDivider() {
  return (
    <div className={styles.new} data-new>
      {i18n._('New')}
    </div>
  )
}
