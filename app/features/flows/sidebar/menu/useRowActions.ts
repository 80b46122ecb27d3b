import { i18n } from '@lingui/core'
import { navigate } from '../../../../historyState.ts'
import { pathTo } from '../../../../paths.ts'
import { joinChannel } from '../../../../data/channels/channelCommands.ts'
import { leaveChannel, openDirect } from '../../../../data/channels/manageChannels.ts'
import type { SidebarItem } from '../../../../data/channels/channels.ts'
import { markAllRead } from '../../../../data/messages/readPosition.ts'
import type { SidebarGroup } from '../../../../data/sidebar/sections.ts'
import { PHONE, useMedia } from '../../../../ui/useMedia.ts'
import { readPageAddress } from '../../../../ui/pageAddress.ts'
import { useToast } from '../../../../ui/toast.ts'
import { rejoinPath } from '../../channels/rejoinPath.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'

interface RowActions {
  markRead: (item: SidebarItem) => void
  /** Leaves a public channel at once; asks first where the reader can't rejoin alone. */
  leave: (item: SidebarItem) => void
  /** Removes a direct or group conversation from the sidebar until its next message. */
  close: (item: SidebarItem) => void
}

/** Actions of a row besides preferences. `openId`: the open conversation. */
export function useRowActions(groups: readonly SidebarGroup[], openId: string | null): RowActions {
  const showToast = useToast()
  const open = useOverlay()
  const me = useMe()
  const phone = useMedia(PHONE)

  const leaveWithUndo = async (
    item: SidebarItem,
    message: string,
    undo: { label: string; run: () => void },
  ) => {
    const isOpen = item.id === openId
    const address = readPageAddress()
    // Navigates first: an open conversation is kept, and a closed one would reappear at once.
    if (isOpen) navigate(phone ? pathTo('home') : adjacentPath(groups, item.id))
    const outcome = await leaveChannel(item.id)
    if (outcome.ok) return showToast({ text: message, action: undo })
    if (isOpen) navigate(address)
    showToast({ text: outcome.failure.message })
  }

  return {
    markRead: (item) => markAllRead(item.id),
    leave: (item) => {
      if (rejoinPath(item.kind, item.archived, me.role) !== 'alone')
        return open({ kind: 'leave-channel', channelId: item.id })
      void leaveWithUndo(item, i18n._('You left {name}.', { name: `#${item.name}` }), {
        label: i18n._('Rejoin'),
        run: () => void joinChannel(item.id),
      })
    },
    close: (item) => {
      void leaveWithUndo(item, i18n._('Conversation closed. It’ll reappear when there’s a new message.'), {
        label: i18n._('Undo'),
        run: () => void openDirect(item.people.map((person) => person.id)),
      })
    },
  }
}

/** The path of the conversation below `id`, or above it. */
function adjacentPath(groups: readonly SidebarGroup[], id: string): string {
  const shown = groups.flatMap((group) => group.items)
  const at = shown.findIndex((item) => item.id === id)
  const next = shown[at + 1] ?? shown[at - 1]
  return next ? pathTo('channel', { channelId: next.id }) : pathTo('home')
}
