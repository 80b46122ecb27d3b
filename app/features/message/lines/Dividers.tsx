import { i18n } from '@lingui/core'
import { formatDay } from '../../../ui/dates.ts'
import styles from './Dividers.module.css'

/** The day of what follows, between two hairlines. */
export function DayDivider({ at }: { at: string }) {
  return <div className={styles.day}>{formatDay(at)}</div>
}

/** The one red hairline: nothing from here on has been seen. */
export function NewDivider() {
  return (
    <div className={styles.new} data-new>
      {i18n._('New')}
    </div>
  )
}
