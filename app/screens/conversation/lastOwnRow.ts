import type { Row } from '../../features/conversation/message/timelineRows.ts'

/**
 * The reader's last message, if it can be edited. Null while it is being sent: an edit would change the message before it
 * instead, unnoticed.
 */
export function lastOwnRow(rows: Row[], me: string): string | null {
  const row = rows.findLast(
    ({ item }) =>
      item.kind === 'pending' ||
      (item.message.kind === 'text' && item.message.author_id === me && item.message.deleted_at === null),
  )
  return row?.item.kind === 'message' ? row.id : null
}
