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
  /** Names the list, so that its place is found again: the channel's id, or the thread's root. */
  listKey: string
  /** The reader's profile. */
  me: string
  rows: Row[]
  hasBefore: boolean
  hasAfter: boolean
  mayPost: boolean
  editing: string | null
  /** Null: the list tells nothing of what was read. */
  readState: ListReadState | null
  /** Stands above the first row, once the beginning is loaded (or always, in a thread). */
  intro?: ReactNode
  onEdit: (id: string | null) => void
  /** Takes words that come back; null where nothing is written. */
  onRestore: ((message: TakenBack) => void) | null
  onNearStart: () => void
  onNearEnd?: () => void
  /** Shows the newest words, where they are not loaded. */
  onEnd?: () => void
  /** Shows the first words, where they are not loaded. */
  onStart?: () => void
  /** The list is left, at this number of its uppermost row; null: at its end. */
  onLeave?: (number: number | null) => void
}

interface Props extends ListProps {
  /** Where to go; a new object is a new wish. Null: to the first unread, the place left, or the end. */
  target?: ScrollTarget | null
}

/**
 * The only place that knows the virtualiser. It opens at the first unread, follows the end while the reader is there,
 * keeps its place when older words arrive above, walks with the arrow keys, and reads as seen.
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
  // The virtualiser must hear of a change above in the very render that brings it, or the page jumps.
  if (view.latest !== rows) setView(updateView(view, rows))
  useLayoutEffect(() => {
    // The second step of a change at both ends: a commit of its own, before the page is painted.
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
  /** What is shown, and what it is on the way to. */
  rows: Row[]
  latest: Row[]
  shift: boolean
  window: number
}

function updateView(view: View, latest: Row[]): View {
  const update = nextUpdate(view.rows, latest)
  return { rows: update.rows, latest, shift: update.shift, window: view.window + (update.isReplaced ? 1 : 0) }
}
