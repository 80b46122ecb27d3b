import type { TakenBack } from '../../data/messages/messages.ts'
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import type { ScrollTarget } from './list/scrollTarget.ts'
import { ListWindow } from './list/ListWindow.tsx'
import { nextUpdate } from './list/nextUpdate.ts'
import type { ListReadState } from './readTracking/useReadTracking.ts'
import type { Row } from './timelineRows.ts'

export interface ListProps {
  label: string
  scope: 'channel' | 'thread'
  /** Identifies the list, so that its scroll position is restored: the channel's id, or the thread's root. */
  listKey: string
  /** Profile id of the reader. */
  me: string
  rows: Row[]
  hasBefore: boolean
  hasAfter: boolean
  mayPost: boolean
  editing: string | null
  /** Null: reading is not tracked. */
  readState: ListReadState | null
  /** Rendered above the first row, once the beginning is loaded (in a thread: always). */
  intro?: ReactNode
  onEdit: (id: string | null) => void
  /** Receives the text of a discarded message; null where there is no composer. */
  onRestore: ((message: TakenBack) => void) | null
  onNearStart: () => void
  onNearEnd?: () => void
  /** Loads the newest messages. */
  onEnd?: () => void
  /** Loads the first messages. */
  onStart?: () => void
  /** Called when the list is left, with the number of its top row; null: at its end. */
  onLeave?: (number: number | null) => void
}

interface Props extends ListProps {
  /** Where to scroll; each request is a new object. Null: to the first unread, the last position, or the end. */
  target?: ScrollTarget | null
}

/**
 * Opens at the first unread message, follows the end while the reader is there, keeps its position when older
 * messages are loaded above, moves the focus with arrow keys, and marks visible messages as read. No other module
 * uses the virtualizer.
 */
export function MessageList({ target = null, ...props }: Props) {
  const { rows } = props
  const [view, setView] = useState({ rows, latest: rows, shift: false, window: 0 })
  const [requested, setRequested] = useState(target)
  const [current, setCurrent] = useState<ScrollTarget>(target ?? { to: 'open' })
  const reached = useRef<ScrollTarget | null>(null)
  if (requested !== target) {
    setRequested(target)
    if (target) setCurrent(target)
  }
  // The virtualizer must receive a change above in the very render that brings it, or the page jumps.
  if (view.latest !== rows) setView(updateView(view, rows))
  useLayoutEffect(() => {
    // The second step of a change at both ends is a separate commit, before the page is painted.
    if (view.rows !== view.latest)
      queueMicrotask(() => setView((now) => (now.rows === now.latest ? now : updateView(now, now.latest))))
  }, [view])
  return (
    <ListWindow
      key={view.window}
      {...props}
      rows={view.rows}
      shift={view.shift}
      target={current}
      reachedRef={reached}
      onTarget={setCurrent}
    />
  )
}

interface View {
  /** What is shown, and the rows it has to reach. */
  rows: Row[]
  latest: Row[]
  shift: boolean
  window: number
}

function updateView(view: View, latest: Row[]): View {
  const update = nextUpdate(view.rows, latest)
  return { rows: update.rows, latest, shift: update.shift, window: view.window + (update.isReplaced ? 1 : 0) }
}
