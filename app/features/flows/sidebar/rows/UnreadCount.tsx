import { Badge } from '../../../../ui/Badge.tsx'
import type { UnreadBadge } from './unreadBadge.ts'

/** The count of unread messages in rows that have no name for screen readers of their own. */
export function UnreadCount({ unread: { badge, count, label } }: { unread: UnreadBadge }) {
  const text = badge ?? count
  if (text === null) return null
  return (
    <Badge isUrgent={badge !== null}>
      <span aria-hidden>{text}</span>
      <span className="visually-hidden">{label}</span>
    </Badge>
  )
}
