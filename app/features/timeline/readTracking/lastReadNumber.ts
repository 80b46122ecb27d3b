import { canBeUnread, lastNumberOf } from './rowNumbers.ts'
import type { Row } from '../timelineRows.ts'

/**
 * How far a list has been read: up to the last row before which nothing unread was left unseen. What was jumped over
 * stays unread, so that the pointer never says more than what was seen. Answers `readTo` itself where
 * nothing unread has been seen after it. `rows` must begin at or before the first unread.
 */
export function lastReadNumber(
  rows: readonly Row[],
  scope: 'channel' | 'thread',
  me: string,
  readTo: number,
  isSeen: (number: number) => boolean,
): number {
  let lastRead = readTo
  let hasSeenUnread = false
  for (const row of rows) {
    const number = lastNumberOf(row, scope)
    if (number === null || number <= readTo) continue
    if (canBeUnread(row, me)) {
      if (!isSeen(number)) break
      hasSeenUnread = true
    }
    lastRead = number
  }
  return hasSeenUnread ? lastRead : readTo
}
