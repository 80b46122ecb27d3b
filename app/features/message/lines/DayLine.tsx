import { i18n } from '@lingui/core'
import { dayOf } from '../../../ui/clock.ts'
import styles from './DayLine.module.css'

/** The day of what follows, between two hairlines. */
export function DayLine({ at }: { at: string }) {
  return <div className={styles.day}>{dayOf(at)}</div>
}

/** The one red hairline: nothing from here on has been seen. */
export function NewLine() {
  return (
    <div className={styles.new} data-new>
      {i18n._('New')}
    </div>
  )
}
