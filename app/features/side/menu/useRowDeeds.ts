import { i18n } from '@lingui/core'
import { useLocation } from 'wouter'
import { joinChannel, leaveChannel } from '../../../data/channels/channelCommands.ts'
import type { SidebarItem } from '../../../data/channels/channels.ts'
import { markAllRead } from '../../../data/messages/readPosition.ts'
import type { SideGroup } from '../../../data/sidebar/sections.ts'
import { openDirect } from '../../../data/people/workspace.ts'
import { PHONE, useMedia } from '../../../ui/useMedia.ts'
import { useNotice } from '../../../ui/notice.ts'
import { comingBack } from '../../channel/comingBack.ts'
import { useMe } from '../../people/MeContext.ts'
import { useOverlay } from '../../overlays/OverlayContext.ts'

interface RowDeeds {
  markRead: (item: SidebarItem) => void
  /** Leaves a public channel at once; where there is no way back by oneself it asks first. */
  leave: (item: SidebarItem) => void
  /** Takes a direct or group conversation out of the side until something is said. */
  close: (item: SidebarItem) => void
}

/** What a row's menu does beside preferences. `openId`: the conversation in front. */
export function useRowDeeds(groups: readonly SideGroup[], openId: string | null): RowDeeds {
  const notice = useNotice()
  const open = useOverlay()
  const me = useMe()
  const phone = useMedia(PHONE)
  const [path, navigate] = useLocation()

  const away = async (item: SidebarItem, words: string, back: { label: string; run: () => void }) => {
    const front = item.id === openId
    // Before: what is in front is held on to, and a closed conversation would be back at once.
    if (front) navigate(phone ? '/' : besides(groups, item.id))
    const outcome = await leaveChannel(item.id)
    if (outcome.ok) return notice({ words, action: back })
    if (front) navigate(path)
    notice({ words: outcome.failure.sentence })
  }

  return {
    markRead: (item) => markAllRead(item.id),
    leave: (item) => {
      if (comingBack(item.kind, item.archived, me.role) !== 'alone')
        return open({ kind: 'leave-channel', channelId: item.id })
      void away(item, i18n._('You left {name}.', { name: `#${item.name}` }), {
        label: i18n._('Rejoin'),
        run: () => void joinChannel(item.id),
      })
    },
    close: (item) => {
      void away(item, i18n._('Conversation closed. It’ll reappear when there’s a new message.'), {
        label: i18n._('Undo'),
        run: () => void openDirect(item.people.map((person) => person.id)),
      })
    },
  }
}

/** The address of the conversation below the one that goes, or above it. */
function besides(groups: readonly SideGroup[], id: string): string {
  const shown = groups.flatMap((group) => group.items)
  const at = shown.findIndex((item) => item.id === id)
  const next = shown[at + 1] ?? shown[at - 1]
  return next ? `/c/${next.id}` : '/'
}
