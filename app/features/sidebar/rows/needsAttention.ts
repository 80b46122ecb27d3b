import type { SidebarItem } from '../../../data/channels/channels.ts'

/** Whether something waits in a conversation that the reader wants to hear of: muted ones only when it calls them. */
export function needsAttention(item: Pick<SidebarItem, 'unread' | 'mentions' | 'muted'>): boolean {
  return item.mentions > 0 || (item.unread > 0 && !item.muted)
}
