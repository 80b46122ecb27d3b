import { canBeUnread, numberOf } from './rowNumbers.ts'
import type { Row } from '../../message/timelineRows.ts'

/** Unread counts end here; shown as "99+". */
const MAX_COUNT = 100

interface Options {
  rows: readonly Row[]
  scope: 'channel' | 'thread'
  me: string
  /** Everything up to this number has been read. */
  readTo: number
  /** Number of unread messages after it in the whole conversation; at most 100. */
  unread: number
  /** Whether the rows begin at or before the first unread message. */
  complete: boolean
  hasAfter: boolean
  /** The numbers of the first and last row in view. */
  top: number
  bottom: number
}

/**
 * Number of unread messages above and below the view. If all messages on one side are loaded they are counted; the
 * rest of the total is on the other side.
 */
export function countUnreadAround(options: Options): { above: number; below: number } {
  const { rows, scope, me, readTo, unread, complete, hasAfter, top, bottom } = options
  let above = 0
  let inView = 0
  let below = 0
  for (const row of rows) {
    const number = numberOf(row, scope)
    if (number === null || number <= readTo || !canBeUnread(row, me)) continue
    if (number < top) above += 1
    else if (number > bottom) below += 1
    else inView += 1
  }
  const rest = unread >= MAX_COUNT ? MAX_COUNT : Math.max(0, unread - above - inView - below)
  if (!complete && hasAfter) {
    // Neither end is loaded: the rest is attributed to the side before the rows first, as far as their numbers allow.
    const first = rows.map((row) => numberOf(row, scope)).find((number) => number !== null) ?? readTo + 1
    const before = Math.min(rest, Math.max(0, first - readTo - 1))
    return { above: capCount(above + before), below: capCount(below + rest - before) }
  }
  return {
    above: capCount(complete ? above : above + rest),
    below: capCount(hasAfter ? below + rest : below),
  }
}

function capCount(count: number): number {
  return Math.min(MAX_COUNT, count)
}
