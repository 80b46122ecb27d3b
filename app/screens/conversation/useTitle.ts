import { i18n } from '@lingui/core'
import { useEffect } from 'react'
import { useChannel, useSidebar } from '../../data/channels/channels.ts'

/** The tab's name: how many things need the reader, where one is, whose workspace it is. */
export function useTitle(workspace: string, channelId: string | null): void {
  const { channels, directs } = useSidebar()
  const channel = useChannel(channelId ?? '')
  let needs = 0
  for (const item of channels) needs += item.mentions
  for (const item of directs) if (!item.muted) needs += item.unread
  const here =
    channelId === null || typeof channel === 'string'
      ? null
      : channel.kind === 'public' || channel.kind === 'private'
        ? `#${channel.name}`
        : channel.name
  useEffect(() => {
    const place = here ? i18n._('{here} · {workspace}', { here, workspace }) : workspace
    document.title = needs > 0 ? `(${Math.min(needs, 99)}) ${place}` : place
  }, [here, needs, workspace])
}
