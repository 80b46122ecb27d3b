import { useCallback, useEffect, useRef } from 'react'
import type { Row } from '../timelineRows.ts'
import { isAttentive } from './attention.ts'
import { lastReadNumber } from './lastReadNumber.ts'
import { createSeenTracker } from './createSeenTracker.ts'

/** How far a list has been read, and what to do when it has been read further. */
export interface ListReadState {
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
export function useReadTracking(
  rows: Row[],
  scope: 'channel' | 'thread',
  me: string,
  readState: ListReadState | null,
): (inView: readonly number[], recheck: () => void) => void {
  const seenTracker = useRef(createSeenTracker())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const highest = useRef(0)
  const isMarkedUnread = useRef(false)
  const readTo = readState?.readTo ?? 0

  useEffect(() => {
    // "Mark unread", here or on another device, stands against what was seen until the list is opened anew.
    isMarkedUnread.current = readTo < highest.current
    highest.current = Math.max(highest.current, readTo)
  }, [readTo])
  useEffect(() => () => clearTimeout(timer.current), [])

  return useCallback(
    (inView, recheck) => {
      clearTimeout(timer.current)
      const next = seenTracker.current.update(performance.now(), isAttentive() ? inView : [])
      if (next !== null) timer.current = setTimeout(recheck, next)
      if (!readState?.complete || isMarkedUnread.current) return
      const lastRead = lastReadNumber(rows, scope, me, readState.readTo, seenTracker.current.has)
      if (lastRead > readState.readTo) readState.onSeen(lastRead)
    },
    [me, scope, readState, rows],
  )
}
