import { i18n } from '@lingui/core'
import { formatDay } from '../../../../ui/dates.ts'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import styles from './Dividers.module.css'

interface DayDividerProps {
  at: string
  /** The channel that can be opened at another date from here. */
  channelId?: string | null
  /** The row below is the one that Tab focuses. */
  tabStop?: boolean
}

/** The day of the messages below, between two lines. */
export function DayDivider({ at, channelId, tabStop }: DayDividerProps) {
  const open = useOverlay()
  const day = formatDay(at)
  return (
    <div className={styles.day}>
      {channelId ? (
        <button
          type="button"
          aria-haspopup="menu"
          tabIndex={tabStop ? 0 : -1}
          onClick={({ currentTarget: anchor }) => open({ kind: 'jump-to-date', channelId, anchor })}
        >
          {day}
        </button>
      ) : (
        day
      )}
    </div>
  )
}

/** The red line above the first unread message. */
export function NewDivider() {
  return (
    <div className={styles.new} data-new>
      {i18n._('New')}
    </div>
  )
}
