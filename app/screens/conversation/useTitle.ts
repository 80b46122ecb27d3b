import { i18n } from '@lingui/core'
import { useEffect } from 'react'
import { useChannel, useSidebar } from '../../data/channels/channels.ts'
import { titleOf } from './titleOf.ts'

/** Sets the document title: number of unread items, conversation, workspace. */
export function useTitle(workspace: string, channelId: string | null): void {
  const { channels, directs } = useSidebar()
  const channel = useChannel(channelId ?? '')
  let unreadCount = 0
  for (const item of channels) unreadCount += item.mentions
  for (const item of directs) if (!item.muted) unreadCount += item.unread
  const title = channelId === null || typeof channel === 'string' ? null : titleOf(channel)
  useEffect(() => {
    const location = title ? i18n._('{here} · {workspace}', { here: title, workspace }) : workspace
    document.title = unreadCount > 0 ? `(${Math.min(unreadCount, 99)}) ${location}` : location
  }, [title, unreadCount, workspace])
}
