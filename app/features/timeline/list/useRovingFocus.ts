import { useLayoutEffect, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react'
import type { Row } from '../timelineRows.ts'
import { focusRow } from './focusRow.ts'

interface RovingFocus {
  /** The row that Tab reaches, and its place; -1 while there is none. */
  stopId: string | null
  stopIndex: number
  setStop: (id: string) => void
  /** For the list: keys and pointers, as they come. */
  onKeyDown: (event: KeyboardEvent) => void
  onKeyDownCapture: () => void
  onBlur: (event: FocusEvent) => void
  onPointerDownCapture: () => void
}

interface Options {
  rows: Row[]
  scope: 'channel' | 'thread'
  /** The rows in view, uppermost and lowest. */
  inView: () => [number, number]
  /** Brings a row into view. */
  scrollIntoView: (index: number) => void
  onHome: () => void
  onEnd: () => void
}

/** Arrow keys walk from message to message; Home and End lead to the first and the newest of the conversation. */
export function useRovingFocus({ rows, scope, inView, scrollIntoView, onHome, onEnd }: Options): RovingFocus {
  const isByKeyboard = useRef(false)
  const stopAt = useRef(-1)
  const [stop, setStop] = useState<string | null>(null)

  // The row in focus was removed: the one that took its place is focused, or keys would lead nowhere.
  useLayoutEffect(() => {
    const at = rows.findIndex((row) => row.id === stop)
    const next = rows[Math.min(stopAt.current, rows.length - 1)]
    if (at >= 0 || stop === null) stopAt.current = at
    else if (next && isByKeyboard.current && document.activeElement === document.body)
      focusRow(scope, next.id)
  }, [scope, rows, stop])

  function focusIndex(index: number) {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)]
    if (!row) return
    setStop(row.id)
    scrollIntoView(rows.indexOf(row))
    requestAnimationFrame(() => focusRow(scope, row.id))
  }

  function onKeyDown(event: KeyboardEvent) {
    if (!(event.target instanceof HTMLElement) || event.target.tagName !== 'ARTICLE') return
    if (event.altKey || event.metaKey || event.ctrlKey) return
    if (event.key === 'Home') onHome()
    else if (event.key === 'End') onEnd()
    else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const step = event.key === 'ArrowUp' ? -1 : 1
      const from = rows.findIndex((row) => row.id === stop)
      const [top, bottom] = inView()
      // Scrolled away from the row in focus: one goes on where one looks.
      if (from >= top - 1 && from <= bottom + 1) focusIndex(from + step)
      else focusIndex(step < 0 ? bottom : top)
    } else return
    event.preventDefault()
  }

  const isLoaded = stop !== null && rows.some((row) => row.id === stop)
  const stopId = isLoaded ? stop : (rows.at(-1)?.id ?? null)
  return {
    stopId,
    stopIndex: rows.findIndex((row) => row.id === stopId),
    setStop,
    onKeyDown,
    onBlur: ({ relatedTarget }) => {
      // From the composer, Shift and Tab lead to the last message again.
      if (relatedTarget instanceof HTMLElement && relatedTarget.matches('textarea[data-compose]'))
        setStop(null)
    },
    onKeyDownCapture: () => {
      isByKeyboard.current = true
    },
    onPointerDownCapture: () => {
      isByKeyboard.current = false
    },
  }
}
