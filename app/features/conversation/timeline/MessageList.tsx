import { Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { SelectionContext, type MessageSelection } from '../message/selection/SelectionContext.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { ListWindow } from './list/ListWindow.tsx'
import { nextUpdate } from './list/nextUpdate.ts'
import { INITIAL_SCROLL, type ScrollTarget } from './list/scrollMachine.ts'
import type { Row } from '../message/timelineRows.ts'
import type { ListProps } from './list/ListProps.ts'

const SelectionBar = lazyComponent(() => import('../message/selection/SelectionBar.tsx'), { preload: true })

/** Milliseconds after which rows are added below even if scrolling continues. */
const MAX_SHIFT_MS = 500

interface Props extends ListProps {
  /** Where to scroll; each request is a new object. Null: to the first unread, the last position, or the end. */
  target?: ScrollTarget | null
  /** When the reader opened the conversation, in ms since 1970: what they send afterwards is scrolled to. */
  openedAt: number
}

/**
 * The list of messages. It opens at the first unread message, shows what the reader sends, and follows the end while the
 * reader is there. It keeps its position when older messages are loaded above. Arrow keys move the focus. Visible messages are marked as read.
 * No other module uses the virtualizer.
 */
export function MessageList({ target = null, openedAt, ...props }: Props) {
  const { rows } = props
  const [view, setView] = useState<View>({ rows, latest: rows, shift: false, isShifting: false, window: 0 })
  const [requested, setRequested] = useState(target)
  const [current, setCurrent] = useState<ScrollTarget>(target ?? { to: 'open' })
  const [selection, change] = useState<MessageSelection | null>(null)
  const latestRows = useRef(rows)
  useLayoutEffect(() => {
    latestRows.current = rows
  })
  // Memoized: rows render again when it changes.
  const selecting = useMemo(() => ({ selection, change, rows: latestRows }), [selection])
  const scrollState = useRef(INITIAL_SCROLL)
  if (requested !== target) {
    setRequested(target)
    if (target) setCurrent(target)
  }
  const [sentAt, setSentAt] = useState(openedAt)
  const newest = newestPending(rows)
  if (newest > sentAt) {
    setSentAt(newest)
    setCurrent({ to: 'end' })
  }
  // The virtualizer must receive a change above in the very render that brings it, or the page jumps.
  if (view.latest !== rows) setView(updateView(view, rows))
  const [endShift] = useState(() => () => setView((now) => (now.isShifting ? withoutShift(now) : now)))
  useEffect(() => {
    // Where nothing was scrolled, or scrolling goes on.
    const timer = view.isShifting ? setTimeout(endShift, MAX_SHIFT_MS) : undefined
    return () => clearTimeout(timer)
  }, [view.isShifting, endShift])
  return (
    <SelectionContext value={selecting}>
      <ListWindow
        key={view.window}
        {...props}
        rows={view.rows}
        // What is not shown yet is loaded already.
        onNearEnd={view.rows === view.latest ? props.onNearEnd : undefined}
        shift={view.shift}
        target={current}
        stateRef={scrollState}
        onTarget={setCurrent}
        onShiftEnd={endShift}
      />
      <Suspense>
        {selection ? <SelectionBar scope={props.scope} selection={selection} onChange={change} /> : null}
      </Suspense>
    </SelectionContext>
  )
}

/**
 * When the newest message at the end that the server has not accepted was sent, in ms since 1970; 0: there is none. The shown
 * rows may lack it: a change above comes first, and the message may be accepted meanwhile.
 */
function newestPending(rows: readonly Row[]): number {
  let newest = 0
  for (const { item } of rows.toReversed()) {
    if (item.kind !== 'pending') break
    newest = Math.max(newest, Date.parse(item.message.createdAt))
  }
  return newest
}

interface View {
  /** The displayed rows, and the rows that the list has to display next. */
  rows: Row[]
  latest: Row[]
  shift: boolean
  /** Whether rows were added or removed above and the virtualizer still keeps the distance from the end. */
  isShifting: boolean
  window: number
}

function updateView(view: View, latest: Row[]): View {
  const { rows, shift, isReplaced } = nextUpdate(view.rows, latest, view.isShifting)
  const isChangedAbove = shift && (rows.length !== view.rows.length || rows !== latest)
  const isShifting = !isReplaced && (view.isShifting || isChangedAbove)
  return { rows, latest, shift, isShifting, window: view.window + (isReplaced ? 1 : 0) }
}

/** Returns the view after the second step of a change at both ends. */
function withoutShift(view: View): View {
  return updateView({ ...view, isShifting: false }, view.latest)
}
