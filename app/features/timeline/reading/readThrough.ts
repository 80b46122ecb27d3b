import { canBeUnread, lastNumberOf } from './numbers.ts'
import type { Row } from '../timelineRows.ts'

/**
 * How far a list has been read: up to the last row before which nothing unread was left unseen. What was jumped over
 * stays unread, so that the pointer never says more than what was seen. Answers `readTo` itself where
 * nothing unread has been seen after it. `rows` must begin at or before the first unread.
 */
export function readThrough(
  rows: readonly Row[],
  place: 'channel' | 'thread',
  me: string,
  readTo: number,
  seen: (number: number) => boolean,
): number {
  let through = readTo
  let any = false
  for (const row of rows) {
    const number = lastNumberOf(row, place)
    if (number === null || number <= readTo) continue
    if (canBeUnread(row, me)) {
      if (!seen(number)) break
      any = true
    }
    through = number
  }
  return any ? through : readTo
}
