import { i18n } from '@lingui/core'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import { useToast } from '../../../../ui/toast.ts'
import { cx } from '../../../../ui/cx.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { FloatingDay } from '../list/FloatingDay.tsx'
import { useVisibleRange, type VisibleRangeStore } from '../list/visibleRange.ts'
import type { Row } from '../../message/timelineRows.ts'
import styles from './JumpButtons.module.css'
import { countUnreadAround } from './countUnreadAround.ts'
import { useEscapeKey } from '../../../parts/shortcuts/useEscapeKey.ts'
import type { ListReadState } from './useReadTracking.ts'

export interface JumpProps {
  visibleRange: VisibleRangeStore
  rows: Row[]
  scope: 'channel' | 'thread'
  me: string
  readState: ListReadState | null
  hasAfter: boolean
  /** `byKey`: the button disappears, so the focus has to move on. */
  onUnread: (byKey: boolean) => void
  onEnd: (byKey: boolean) => void
}

/** Over the list: buttons to the first unread and to the newest message, each with the number of new messages. */
export default function JumpButtons({
  visibleRange,
  rows,
  scope,
  me,
  readState,
  hasAfter,
  onUnread,
  onEnd,
}: JumpProps) {
  const { top, bottom, atEnd } = useVisibleRange(visibleRange)
  const { above, below } = readState
    ? countUnreadAround({ ...readState, rows, scope, me, hasAfter, top, bottom })
    : { above: 0, below: 0 }
  const showToast = useToast()
  const readAll = () => {
    const undo = readState?.onAllRead()
    if (undo) showToast({ text: i18n._('Marked as read.'), action: { label: i18n._('Undo'), run: undo } })
  }
  useEscapeKey(readState?.isReadByEscape === true && readState.unread > 0, readAll)
  return (
    <>
      {above > 0 && readState ? (
        <div className={cx(styles.jump, styles.up, styles.unseen)}>
          <button
            type="button"
            aria-label={i18n._('{new} above', { new: newMessagesLabel(above) })}
            onClick={(event) => onUnread(event.detail === 0)}
          >
            <Icon of={ArrowUp} />
            {newMessagesLabel(above)}
          </button>
          <button type="button" className={styles.separate} onClick={readAll}>
            {i18n._('Mark as read')}
          </button>
        </div>
      ) : null}
      <FloatingDay visibleRange={visibleRange} isBelowUnreadButton={above > 0} />
      {atEnd ? null : (
        <div className={cx(styles.jump, styles.down, below > 0 && styles.unseen)}>
          <button type="button" onClick={(event) => onEnd(event.detail === 0)}>
            <Icon of={ArrowDown} />
            {below > 0 ? newMessagesLabel(below) : i18n._('Jump to latest')}
          </button>
        </div>
      )}
    </>
  )
}

function newMessagesLabel(count: number): string {
  return count > 99
    ? i18n._('99+ new messages')
    : i18n._('{count, plural, one {# new message} other {# new messages}}', { count })
}
