import { useEffect, useState } from 'react'
import { dayOf } from '../../../ui/clock.ts'
import { cx } from '../../../ui/cx.ts'
import styles from './FloatingDay.module.css'
import { useSpot, type SpotStore } from './spot.ts'

/** Stays so long (ms) after the last row went by. */
const LINGERS = 1_200

/** While one scrolls: the day of the uppermost row. For the eyes alone, since each day has its line in the list. */
export function FloatingDay({ spot, low }: { spot: SpotStore; low: boolean }) {
  const { top, day, atEnd } = useSpot(spot)
  const [shownFor, setShownFor] = useState<number | null>(null)
  const [first] = useState(top)
  useEffect(() => {
    if (top === first || atEnd) return
    const show = requestAnimationFrame(() => setShownFor(top))
    const timer = setTimeout(() => setShownFor(null), LINGERS)
    return () => {
      cancelAnimationFrame(show)
      clearTimeout(timer)
    }
  }, [top, first, atEnd])
  if (shownFor === null || day === null || atEnd) return null
  return (
    <div className={cx(styles.day, low && styles.low)} aria-hidden="true">
      {dayOf(day)}
    </div>
  )
}
