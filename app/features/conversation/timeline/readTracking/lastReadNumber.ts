import { canBeUnread, lastNumberOf } from './rowNumbers.ts'
import type { Row } from '../../message/timelineRows.ts'

/**
 * The number up to which a list has been read: the last row before which every unread message was seen. Messages that
 * were skipped stay unread, so that the read marker never passes an unseen one. Returns `readTo` if no unread message
 * after it was seen. `rows` must begin at or before the first unread message.
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
