import { useCallback, useEffect, useRef } from 'react'
import type { Row } from '../timelineRows.ts'
import { isAttentive } from './attention.ts'
import { readThrough } from './readThrough.ts'
import { createSightings } from './sightings.ts'

/** How far a list has been read, and what to do when it has been read further. */
export interface ListReading {
  /** Everything up to this number has been read. */
  readTo: number
  /** How much after it has not; at most 100. */
  unread: number
  /** Whether the rows begin at or before the first unread. */
  complete: boolean
  /** The reader has seen everything up to this number. */
  onSeen: (number: number) => void
  /** Everything counts as read, by the reader's own word. */
  onAllRead: () => void
  /** Shows the words around the first unread, where they are not loaded. */
  onFirstUnread: () => void
}

/**
 * Reads as seen: takes the numbers of the rows that are in view, calls `again` when one of them will have been there
 * for a moment, and tells how far reading got. Nobody looks at a hidden page, or one that is not in front.
 */
export function useSightings(
  rows: Row[],
  place: 'channel' | 'thread',
  me: string,
  reading: ListReading | null,
): (inView: readonly number[], again: () => void) => void {
  const sightings = useRef(createSightings())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const highest = useRef(0)
  const lowered = useRef(false)
  const readTo = reading?.readTo ?? 0

  useEffect(() => {
    // "Mark unread", here or on another device, stands against what was seen until the list is opened anew.
    lowered.current = readTo < highest.current
    highest.current = Math.max(highest.current, readTo)
  }, [readTo])
  useEffect(() => () => clearTimeout(timer.current), [])

  return useCallback(
    (inView, again) => {
      clearTimeout(timer.current)
      const next = sightings.current.look(performance.now(), isAttentive() ? inView : [])
      if (next !== null) timer.current = setTimeout(again, next)
      if (!reading?.complete || lowered.current) return
      const through = readThrough(rows, place, me, reading.readTo, sightings.current.has)
      if (through > reading.readTo) reading.onSeen(through)
    },
    [me, place, reading, rows],
  )
}
