import type { TakenBack } from '../../data/messages/messages.ts'
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import type { Goal } from './list/goal.ts'
import { ListWindow } from './list/ListWindow.tsx'
import { nextStep } from './list/nextStep.ts'
import type { ListReading } from './reading/useSightings.ts'
import type { Row } from './timelineRows.ts'

export interface ListProps {
  label: string
  place: 'channel' | 'thread'
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
  reading: ListReading | null
  /** Stands above the first row, once the beginning is loaded (or always, in a thread). */
  opening?: ReactNode
  onEdit: (id: string | null) => void
  /** Takes words that come back; null where nothing is written. */
  onWords: ((words: TakenBack) => void) | null
  onNearStart: () => void
  onNearEnd?: () => void
  /** Shows the newest words, where they are not loaded. */
  onEnd?: () => void
  /** Shows the first words, where they are not loaded. */
  onStart?: () => void
  /** The list is left, at this number of its uppermost row; null: at its end. */
  onPlace?: (number: number | null) => void
}

interface Props extends ListProps {
  /** Where to go; a new object is a new wish. Null: to the first unread, the place left, or the end. */
  goal?: Goal | null
}

/**
 * The only place that knows the virtualiser. It opens at the first unread, follows the end while the reader is there,
 * keeps its place when older words arrive above, walks with the arrow keys, and reads as seen.
 */
export function MessageList({ goal = null, ...props }: Props) {
  const { rows } = props
  const [view, setView] = useState({ rows, given: rows, shift: false, window: 0 })
  const [asked, setAsked] = useState(goal)
  const [wish, setWish] = useState<Goal>(goal ?? { to: 'open' })
  const reached = useRef<Goal | null>(null)
  if (asked !== goal) {
    setAsked(goal)
    if (goal) setWish(goal)
  }
  // The virtualiser must hear of a change above in the very render that brings it, or the page jumps.
  if (view.given !== rows) setView(stepped(view, rows))
  useLayoutEffect(() => {
    // The second step of a change at both ends: a commit of its own, before the page is painted.
    if (view.rows !== view.given)
      queueMicrotask(() => setView((now) => (now.rows === now.given ? now : stepped(now, now.given))))
  }, [view])
  return (
    <ListWindow
      key={view.window}
      {...props}
      rows={view.rows}
      shift={view.shift}
      goal={wish}
      reachedRef={reached}
      onGoal={setWish}
    />
  )
}

interface View {
  /** What is shown, and what it is on the way to. */
  rows: Row[]
  given: Row[]
  shift: boolean
  window: number
}

function stepped(view: View, given: Row[]): View {
  const step = nextStep(view.rows, given)
  return { rows: step.rows, given, shift: step.shift, window: view.window + (step.anew ? 1 : 0) }
}
