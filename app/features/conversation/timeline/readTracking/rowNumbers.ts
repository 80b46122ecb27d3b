import type { Row } from '../../message/timelineRows.ts'

/** The row's number in its list: `seq` in a channel, `thread_seq` in a thread; null for a pending message. */
export function numberOf(row: Row, scope: 'channel' | 'thread'): number | null {
  if (row.item.kind === 'pending') return null
  return scope === 'channel' ? row.item.message.seq : row.item.message.thread_seq
}

/** The number of the row's last message: in a run of people who joined or left, that of the last one. */
export function lastNumberOf(row: Row, scope: 'channel' | 'thread'): number | null {
  return (scope === 'channel' ? row.run?.at(-1)?.seq : null) ?? numberOf(row, scope)
}

/** Whether the row can be unread: a message of someone else that is not deleted. */
export function canBeUnread(row: Row, me: string): boolean {
  if (row.item.kind === 'pending') return false
  const { message } = row.item
  return message.kind === 'text' && message.author_id !== me && message.deleted_at === null
}
