import type { Row } from '../../features/timeline/timelineRows.ts'

/** The reader's last message that can be edited, or null. */
export function lastOwnRow(rows: Row[], me: string): string | null {
  const row = rows.findLast(
    ({ item }) =>
      item.kind === 'message' &&
      item.message.kind === 'text' &&
      item.message.author_id === me &&
      item.message.deleted_at === null,
  )
  return row?.id ?? null
}
