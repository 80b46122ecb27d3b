import { i18n } from '@lingui/core'
import { useState } from 'react'
import { isChannel } from '../../../../../wire/channels.ts'
import type { SidebarItem } from '../../../../data/channels/channels.ts'
import { useNotificationPreferences } from '../../../../data/notifications/preferences.ts'
import { setPreferences } from '../../../../data/sidebar/sidebarCommands.ts'
import type { Preferences } from '../../../../data/sidebar/sections.ts'
import Menu from '../../../../ui/Menu.tsx'
import type { MenuItem } from '../../../../ui/Menu.tsx'
import { defaultLevelLabel, levelLabel, LEVELS } from '../../notifications/levelLabels.ts'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import { groupName } from '../groupName.ts'
import { isManuallyOrdered, canContain, nextPosition } from '../drag/nextPosition.ts'
import { moveToPosition } from '../drag/moveToPosition.ts'
import { titleOf } from '../../../parts/channels/titleOf.ts'
import { pathTo } from '../../../../paths.ts'
import { useCopyLink } from '../../../parts/useCopyLink.ts'
import { useToastOnError } from '../../../parts/toasts/useToastOnError.ts'
import type { SidebarMenuProps } from './SidebarMenuProps.ts'
import { useRowActions } from './useRowActions.ts'

type Page = 'main' | 'move' | 'notifications'

/** Actions for a conversation in the sidebar; moving and the level of notifications have pages of their own. */
export function RowMenu(props: SidebarMenuProps) {
  const { id, anchor, at, groups, onClose } = props
  const [page, setPage] = useState<Page>('main')
  const item = groups.flatMap((group) => group.items).find((one) => one.id === id)
  const pages = {
    main: useMainItems(props, item, setPage),
    move: useMoveItems(props, item),
    notifications: useNotificationItems(item),
  }
  if (!item) return null
  return (
    <Menu
      key={page}
      label={titleOf(item)}
      isTitled
      items={pages[page]}
      anchor={anchor}
      at={at}
      onClose={onClose}
    />
  )
}

function useMainItems(
  props: SidebarMenuProps,
  item: SidebarItem | undefined,
  showPage: (page: Page) => void,
): MenuItem[] {
  const { groups, openId } = props
  const runWithToast = useToastOnError()
  const actions = useRowActions(groups, openId)
  const copyLink = useCopyLink()
  const open = useOverlay()
  if (!item) return []
  const isDirectMessage = !isChannel(item)
  const set = (change: Partial<Preferences>) => () => runWithToast(() => setPreferences(item.id, change))
  const items: MenuItem[] = []
  if (item.unread > 0) items.push({ label: i18n._('Mark as read'), onSelect: () => actions.markRead(item) })
  items.push(
    item.starred
      ? { label: i18n._('Remove star'), onSelect: set({ starred: false }) }
      : { label: i18n._('Star'), onSelect: set({ starred: true }) },
    item.muted
      ? { label: i18n._('Unmute'), onSelect: set({ muted: false }) }
      : { label: i18n._('Mute'), onSelect: set({ muted: true }) },
    {
      label: i18n._('Notifications'),
      hint: levelLabel(item.notify),
      staysOpen: true,
      onSelect: () => showPage('notifications'),
    },
    { label: i18n._('Move to'), separated: true, staysOpen: true, onSelect: () => showPage('move') },
  )
  const group = groups.find((one) => one.items.includes(item))
  const steps = group && isManuallyOrdered(group) ? ([-1, 1] as const) : []
  for (const by of steps) {
    const target = nextPosition(groups, item.id, by)
    if (!target) continue
    items.push({
      label: by < 0 ? i18n._('Move up') : i18n._('Move down'),
      keys: by < 0 ? 'Alt Shift ↑' : 'Alt Shift ↓',
      onSelect: () => moveToPosition({ groups, runWithToast }, item.id, target),
    })
  }
  items.push({
    label: i18n._('Copy link'),
    separated: true,
    onSelect: () => copyLink(pathTo('channel', { channelId: item.id })),
  })
  if (!item.selfDirect) {
    items.push({
      label: isDirectMessage ? i18n._('View members') : i18n._('Channel details'),
      onSelect: () => open({ kind: 'channel', channelId: item.id }),
    })
  }
  items.push({
    label: isDirectMessage ? i18n._('Close conversation') : i18n._('Leave channel'),
    separated: true,
    onSelect: () => (isDirectMessage ? actions.close(item) : actions.leave(item)),
  })
  return items
}

function useNotificationItems(item: SidebarItem | undefined): MenuItem[] {
  const runWithToast = useToastOnError()
  const preferences = useNotificationPreferences().value
  if (!item) return []
  const hint = defaultLevelLabel(item, preferences) ?? ''
  return LEVELS.map((notify) => ({
    label: levelLabel(notify),
    checked: item.notify === notify,
    hint: notify === 'default' ? hint : '',
    onSelect: () => runWithToast(() => setPreferences(item.id, { notify })),
  }))
}

function useMoveItems({ groups }: SidebarMenuProps, item: SidebarItem | undefined): MenuItem[] {
  const runWithToast = useToastOnError()
  const open = useOverlay()
  if (!item) return []
  const targets = groups
    .filter((group) => group.kind !== 'starred' && canContain(item, group))
    .map((group) => ({
      label: groupName(group),
      checked: group.items.includes(item),
      onSelect: () => {
        if (!group.items.includes(item))
          moveToPosition({ groups, runWithToast }, item.id, { group, index: group.items.length })
      },
    }))
  return [
    ...targets,
    {
      label: i18n._('New section'),
      separated: true,
      onSelect: () => open({ kind: 'section', id: null, channelId: item.id }),
    },
  ]
}
