import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { COMPOSER_FIELD } from '../../../../ui/field.ts'
import type { Row } from '../../message/timelineRows.ts'
import { focusRow } from './focusRow.ts'

interface RovingFocus {
  /** The row that Tab focuses, and its index; -1 if there is none. */
  stopId: string | null
  stopIndex: number
  setStop: (id: string) => void
  /** Event handlers for the list. */
  onKeyDown: (event: KeyboardEvent) => void
  onKeyDownCapture: () => void
  onPointerDownCapture: () => void
}

interface Options {
  rows: Row[]
  scope: 'channel' | 'thread'
  /** Indexes of the first and last row in view. */
  inView: () => [number, number]
  /** Scrolls a row into view. */
  scrollIntoView: (index: number) => void
  onHome: () => void
  onEnd: () => void
}

/** Roving focus: arrow keys move between messages; Home and End lead to the first and the newest one. */
export function useRovingFocus({ rows, scope, inView, scrollIntoView, onHome, onEnd }: Options): RovingFocus {
  const isByKeyboard = useRef(false)
  const stopAt = useRef(-1)
  const [stop, setStop] = useState<string | null>(null)

  // The focused row was removed: the row at its index is focused, or keys would do nothing.
  useLayoutEffect(() => {
    const at = rows.findIndex((row) => row.id === stop)
    const next = rows[Math.min(stopAt.current, rows.length - 1)]
    if (at >= 0 || stop === null) stopAt.current = at
    else if (next && isByKeyboard.current && document.activeElement === document.body)
      focusRow(scope, next.id)
  }, [scope, rows, stop])

  // Shift+Tab from the composer leads to the last message again, wherever the focus came from.
  useEffect(() => {
    function onFocusIn({ target }: FocusEvent) {
      if (target instanceof HTMLElement && target.matches(COMPOSER_FIELD)) setStop(null)
    }
    document.addEventListener('focusin', onFocusIn)
    return () => document.removeEventListener('focusin', onFocusIn)
  }, [])

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
      // The focused row is out of view: the focus continues at the visible rows.
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
    onKeyDownCapture: () => {
      isByKeyboard.current = true
    },
    onPointerDownCapture: () => {
      isByKeyboard.current = false
    },
  }
}
