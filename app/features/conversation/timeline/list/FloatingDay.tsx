import { useEffect, useState } from 'react'
import { formatDay } from '../../../../ui/dates.ts'
import { cx } from '../../../../ui/cx.ts'
import styles from './FloatingDay.module.css'
import { useVisibleRange, type VisibleRangeStore } from './visibleRange.ts'

/** Milliseconds that it stays after the last scroll. */
const VISIBLE_MS = 1_200

/** The day of the top row while scrolling. Hidden from screen readers, since each day has its divider in the list. */
export function FloatingDay({
  visibleRange,
  isBelowUnreadButton,
}: {
  visibleRange: VisibleRangeStore
  isBelowUnreadButton: boolean
}) {
  const { top, day, atEnd } = useVisibleRange(visibleRange)
  const [shownTop, setShownFor] = useState<number | null>(null)
  const [first] = useState(top)
  useEffect(() => {
    if (top === first || atEnd) return
    const show = requestAnimationFrame(() => setShownFor(top))
    const timer = setTimeout(() => setShownFor(null), VISIBLE_MS)
    return () => {
      cancelAnimationFrame(show)
      clearTimeout(timer)
    }
  }, [top, first, atEnd])
  if (shownTop === null || day === null || atEnd) return null
  return (
    <div className={cx(styles.day, isBelowUnreadButton && styles.belowUnreadButton)} aria-hidden="true">
      {formatDay(day)}
    </div>
  )
}
