import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { SidebarItem } from '../../../data/channels/channels.ts'
import { setPreferences } from '../../../data/sidebar/sidebarCommands.ts'
import type { Preferences } from '../../../data/sidebar/sections.ts'
import Menu from '../../../ui/Menu.tsx'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { useOverlay } from '../../overlays/OverlayContext.ts'
import { groupName } from '../groupName.ts'
import { isByHand, mayStandIn, stepOf } from '../moving/stepOf.ts'
import { put } from '../moving/work.ts'
import { useCopyLink } from '../useCopyLink.ts'
import { useKeeping } from '../useKeeping.ts'
import type { SideMenuProps } from './SideMenu.tsx'
import { useRowDeeds } from './useRowDeeds.ts'

type Page = 'main' | 'move'

/** What may be done with a conversation from the sidebar; moving it has a page of its own. */
export function RowMenu(props: SideMenuProps) {
  const { id, anchor, at, groups, onClose } = props
  const [page, setPage] = useState<Page>('main')
  const item = groups.flatMap((group) => group.items).find((one) => one.id === id)
  const pages = {
    main: useMainItems(props, item, setPage),
    move: useMoveItems(props, item),
  }
  if (!item) return null
  return <Menu key={page} label={item.name} items={pages[page]} anchor={anchor} at={at} onClose={onClose} />
}

function useMainItems(
  props: SideMenuProps,
  item: SidebarItem | undefined,
  turn: (page: Page) => void,
): MenuItem[] {
  const { groups, openId } = props
  const keeping = useKeeping()
  const deeds = useRowDeeds(groups, openId)
  const copyLink = useCopyLink()
  const open = useOverlay()
  if (!item) return []
  const talk = item.kind === 'direct' || item.kind === 'group'
  const set = (change: Partial<Preferences>) => () => keeping(() => setPreferences(item.id, change))
  const items: MenuItem[] = []
  if (item.unread > 0) items.push({ label: i18n._('Mark as read'), onSelect: () => deeds.markRead(item) })
  items.push(
    item.starred
      ? { label: i18n._('Remove star'), onSelect: set({ starred: false }) }
      : { label: i18n._('Star'), onSelect: set({ starred: true }) },
    item.muted
      ? { label: i18n._('Unmute'), onSelect: set({ muted: false }) }
      : { label: i18n._('Mute'), onSelect: set({ muted: true }) },
    { label: i18n._('Move to'), apart: true, stays: true, onSelect: () => turn('move') },
  )
  const group = groups.find((one) => one.items.includes(item))
  const steps = group && isByHand(group) ? ([-1, 1] as const) : []
  for (const by of steps) {
    const place = stepOf(groups, item.id, by)
    if (!place) continue
    items.push({
      label: by < 0 ? i18n._('Move up') : i18n._('Move down'),
      keys: by < 0 ? 'Alt Shift ↑' : 'Alt Shift ↓',
      onSelect: () => put({ groups, keeping }, item.id, place),
    })
  }
  items.push({ label: i18n._('Copy link'), apart: true, onSelect: () => copyLink(item.id) })
  if (!item.notebook) {
    items.push({
      label: talk ? i18n._('View members') : i18n._('Channel details'),
      onSelect: () => open({ kind: 'channel', channelId: item.id }),
    })
  }
  items.push({
    label: talk ? i18n._('Close conversation') : i18n._('Leave channel'),
    apart: true,
    onSelect: () => (talk ? deeds.close(item) : deeds.leave(item)),
  })
  return items
}

function useMoveItems({ groups }: SideMenuProps, item: SidebarItem | undefined): MenuItem[] {
  const keeping = useKeeping()
  const open = useOverlay()
  if (!item) return []
  const places = groups
    .filter((group) => group.kind !== 'starred' && mayStandIn(item, group))
    .map((group) => ({
      label: groupName(group),
      checked: group.items.includes(item),
      onSelect: () => {
        if (!group.items.includes(item))
          put({ groups, keeping }, item.id, { group, index: group.items.length })
      },
    }))
  return [
    ...places,
    {
      label: i18n._('New section'),
      apart: true,
      onSelect: () => open({ kind: 'section', id: null, channelId: item.id }),
    },
  ]
}
