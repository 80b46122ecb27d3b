import { formatDay } from '../../../../ui/dates.ts'
import { cx } from '../../../../ui/cx.ts'
import styles from './FloatingDay.module.css'
import { useVisibleRange, type VisibleRangeStore } from './visibleRange.ts'

/**
 * The day of the top row, above the list, unless the newest messages are in view. Hidden from screen readers, since each day has
 * its divider in the list.
 */
export function FloatingDay({
  visibleRange,
  isBelowUnreadButton,
}: {
  visibleRange: VisibleRangeStore
  isBelowUnreadButton: boolean
}) {
  const { day, atEnd } = useVisibleRange(visibleRange)
  if (day === null || atEnd) return null
  return (
    <div className={cx(styles.day, isBelowUnreadButton && styles.belowUnreadButton)} aria-hidden="true">
      {formatDay(day)}
    </div>
  )
}
