import type { SidebarItem } from '../../../data/channels/channels.ts'

/** Whether a conversation has unread messages that the reader wants to see: muted ones only with mentions. */
export function needsAttention(item: Pick<SidebarItem, 'unread' | 'mentions' | 'muted'>): boolean {
  return item.mentions > 0 || (item.unread > 0 && !item.muted)
}
