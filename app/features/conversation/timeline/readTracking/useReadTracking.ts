import { useCallback, useEffect, useRef } from 'react'
import type { Row } from '../../message/timelineRows.ts'
import { isAttentive } from './attention.ts'
import { lastReadNumber } from './lastReadNumber.ts'
import { createSeenTracker } from './createSeenTracker.ts'

/** The read state of a list, and what to call when it changes. */
export interface ListReadState {
  /** Everything up to this number has been read. */
  readTo: number
  /** Number of unread messages after it; at most 100. */
  unread: number
  /** Whether the rows begin at or before the first unread message. */
  complete: boolean
  /** The reader has seen everything up to this number. */
  onSeen: (number: number) => void
  /** The reader marks everything as read. Returns what undoes it, if it can be undone. */
  onAllRead: () => (() => void) | void
  /** Escape also marks everything as read. */
  isReadByEscape?: boolean
  /** Loads the messages around the first unread one. */
  onFirstUnread: () => void
}

/**
 * Marks messages as read: receives the numbers of the rows in view, calls `recheck` when one of them will have been
 * visible long enough, and reports the last read number. A page that is hidden or not focused reads nothing.
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
    // "Mark unread", here or on another device, overrides what was seen until the list is opened again.
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
