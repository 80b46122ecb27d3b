import { i18n } from '@lingui/core'
import { isChannel } from '../../../../../wire/channels.ts'
import type { SidebarItem } from '../../../../data/channels/channels.ts'

export interface UnreadBadge {
  bold: boolean
  /** A plain number, or null. */
  count: string | null
  /** The red badge: mentions, or messages of a direct conversation. */
  badge: string | null
  /** The same for screen readers. */
  label: string
}

/** How unread messages of a conversation are shown. Muted ones show mentions only. */
export function unreadBadge(item: Pick<SidebarItem, 'kind' | 'unread' | 'mentions' | 'muted'>): UnreadBadge {
  const { unread, mentions } = item
  const direct = !isChannel(item)
  const labels: string[] = []
  if (unread > 0)
    labels.push(i18n._('{unread, plural, one {# unread} other {# unread}}', { unread: Math.min(unread, 99) }))
  if (mentions > 0)
    labels.push(
      i18n._('{mentions, plural, one {# mention} other {# mentions}}', { mentions: Math.min(mentions, 99) }),
    )
  if (item.muted) labels.push(i18n._('muted'))
  let badge: string | null = null
  if (mentions > 0 && !direct) badge = `@${formatCount(mentions)}`
  else if (direct && unread > 0 && !item.muted) badge = formatCount(unread)
  return {
    bold: unread > 0 && !item.muted,
    count: unread > 0 && !item.muted ? formatCount(unread) : null,
    badge,
    label: labels.join(', '),
  }
}

/** The server counts up to 100, which means "more than 99". */
function formatCount(count: number): string {
  return count > 99 ? '99+' : String(count)
}

/** Whether a conversation has unread messages that the reader wants to see: muted ones only with mentions. */
export function needsAttention(item: Pick<SidebarItem, 'unread' | 'mentions' | 'muted'>): boolean {
  return item.mentions > 0 || (item.unread > 0 && !item.muted)
}
