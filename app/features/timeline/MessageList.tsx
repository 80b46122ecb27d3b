import { useLayoutEffect, useRef, useState } from 'react'
import { ListWindow } from './list/ListWindow.tsx'
import { nextUpdate } from './list/nextUpdate.ts'
import { INITIAL_SCROLL, type ScrollTarget } from './list/scrollMachine.ts'
import type { Row } from './timelineRows.ts'
import type { ListProps } from './list/ListProps.ts'

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
  const scrollState = useRef(INITIAL_SCROLL)
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
      stateRef={scrollState}
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
