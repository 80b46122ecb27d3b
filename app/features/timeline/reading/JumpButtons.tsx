import { i18n } from '@lingui/core'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import { cx } from '../../../ui/cx.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { FloatingDay } from '../list/FloatingDay.tsx'
import { useSpot, type SpotStore } from '../list/spot.ts'
import type { Row } from '../timelineRows.ts'
import styles from './JumpButtons.module.css'
import { newAround } from './newAround.ts'
import type { ListReading } from './useSightings.ts'

export interface JumpProps {
  spot: SpotStore
  rows: Row[]
  place: 'channel' | 'thread'
  me: string
  reading: ListReading | null
  hasAfter: boolean
  /** `byKey`: the button goes with its deed, so the focus has to go on. */
  onUnread: (byKey: boolean) => void
  onEnd: (byKey: boolean) => void
}

/** Over the list: up to the first unread, down to the newest, each with how much is new that way. */
export default function JumpButtons({
  spot,
  rows,
  place,
  me,
  reading,
  hasAfter,
  onUnread,
  onEnd,
}: JumpProps) {
  const { top, bottom, atEnd } = useSpot(spot)
  const { above, below } = reading
    ? newAround({ ...reading, rows, place, me, hasAfter, top, bottom })
    : { above: 0, below: 0 }
  return (
    <>
      {above > 0 && reading ? (
        <div className={cx(styles.jump, styles.up, styles.unseen)}>
          <button
            type="button"
            aria-label={i18n._('{new} above', { new: newWords(above) })}
            onClick={(event) => onUnread(event.detail === 0)}
          >
            <Icon of={ArrowUp} />
            {newWords(above)}
          </button>
          <button type="button" className={styles.apart} onClick={reading.onAllRead}>
            {i18n._('Mark as read')}
          </button>
        </div>
      ) : null}
      <FloatingDay spot={spot} low={above > 0} />
      {atEnd ? null : (
        <div className={cx(styles.jump, styles.down, below > 0 && styles.unseen)}>
          <button type="button" onClick={(event) => onEnd(event.detail === 0)}>
            <Icon of={ArrowDown} />
            {below > 0 ? newWords(below) : i18n._('Jump to latest')}
          </button>
        </div>
      )}
    </>
  )
}

function newWords(count: number): string {
  return count > 99
    ? i18n._('99+ new messages')
    : i18n._('{count, plural, one {# new message} other {# new messages}}', { count })
}
