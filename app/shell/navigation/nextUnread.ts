import type { SidebarItem } from '../../data/channels/channels.ts'

/** The unread conversation before or after `from`, wrapping around; null if there is none. */
export function nextUnread(
  items: Pick<SidebarItem, 'id' | 'unread' | 'mentions' | 'muted'>[],
  from: string | null,
  step: 1 | -1,
): string | null {
  const start = items.findIndex((item) => item.id === from)
  const count = items.length
  for (let distance = 1; distance <= count; distance++) {
    const at = start < 0 && step < 0 ? count - distance : start + step * distance
    const item = items[((at % count) + count) % count]
    if (item && item.id !== from && (item.mentions > 0 || (item.unread > 0 && !item.muted))) return item.id
  }
  return null
}
