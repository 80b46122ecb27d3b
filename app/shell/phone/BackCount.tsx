import { usePathname } from 'wouter/use-browser-location'
import { useSidebar } from '../../data/channels/channels.ts'
import { unreadBadge } from '../../features/flows/sidebar/rows/unreadBadge.ts'
import { UnreadCount } from '../../features/flows/sidebar/rows/UnreadCount.tsx'
import { conversationIn } from '../../paths.ts'

/** In a conversation or thread: how many mentions and direct messages are unread elsewhere. */
export default function BackCount() {
  const { channelId, rootId } = conversationIn(usePathname())
  const { channels, directs } = useSidebar()
  // Other pages have the counts at the lower edge of the screen.
  if (channelId === null) return null
  const isElsewhere = (item: { id: string }) => rootId !== null || item.id !== channelId
  let unread = 0
  for (const item of channels.filter(isElsewhere)) unread += item.mentions
  for (const item of directs.filter(isElsewhere)) unread += item.muted ? 0 : item.unread
  return <UnreadCount unread={unreadBadge({ kind: 'direct', unread, mentions: 0, muted: false })} />
}
