import { i18n } from '@lingui/core'
import Ellipsis from 'lucide-react/icons/ellipsis'
import Plus from 'lucide-react/icons/plus'
import Search from 'lucide-react/icons/search'
import SquarePen from 'lucide-react/icons/square-pen'
import { Suspense, useRef } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { useDrafts } from '../../../data/messages/useDrafts.ts'
import { canCreateChannels } from '../../../data/workspaces/workspacePermissions.ts'
import { useSidebarGroups, type SidebarGroup as Group } from '../../../data/sidebar/sections.ts'
import { Logo } from '../../../ui/Logo.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { MenuButton } from '../../../ui/MenuButton.tsx'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import { commandKey } from '../../parts/shortcuts/commandKey.ts'
import { groupName } from './groupName.ts'
import { OwnProfileRow } from './OwnProfileRow.tsx'
import styles from './Sidebar.module.css'
import { loadSidebarCommands } from './loadSidebarCommands.ts'
import { SidebarSection } from './SidebarSection.tsx'
import { useDevicePreference } from '../../../data/hooks/useDevicePreference.ts'
import { useToastOnError } from '../../parts/toasts/useToastOnError.ts'
import { useSidebarGestures } from './useSidebarGestures.ts'
import { WorkspaceMenu } from './WorkspaceMenu.tsx'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

const OverviewRows = lazyComponent(() => import('./rows/OverviewRows.tsx'))
const PersonalRows = lazyComponent(() => import('./rows/PersonalRows.tsx'))
const SidebarMenu = lazyComponent(() => import('./menu/SidebarMenu.tsx'))

/**
 * The sidebar: the workspace with its channels and direct conversations. `hasOthers`: whether the user is in several
 * workspaces.
 */
export function Sidebar({ openId, hasOthers }: { openId: string | null; hasOthers: boolean }) {
  const me = useMe()
  const open = useOverlay()
  const groups = useSidebarGroups(openId)
  const drafts = useDrafts()
  const lists = useRef<HTMLDivElement>(null)
  const { menu, closeMenu, handlers } = useSidebarGestures(lists, groups)
  const runWithToast = useToastOnError()
  const [collapsed, setCollapsed] = useDevicePreference('collapsedGroups')
  const toggleGroup = (group: Group, on: boolean) => {
    const others = collapsed.filter((key) => key !== group.key)
    if (!group.section) return setCollapsed(on ? [...others, group.key] : others)
    runWithToast(async () => (await loadSidebarCommands()).changeSection(group.key, { collapsed: on }))
  }
  return (
    <nav className={styles.sidebar} aria-label={me.workspace.name}>
      <div className={styles.header}>
        <Logo />
        <bdi className={styles.workspace}>{me.workspace.name}</bdi>
        <WorkspaceMenu hasOthers={hasOthers} />
        <IconButton
          label={i18n._('New conversation')}
          icon={<Icon of={SquarePen} size={20} />}
          onClick={() => open({ kind: 'new-conversation' })}
        />
      </div>
      <div className={styles.find}>
        <button type="button" className={styles.jump} onClick={() => open({ kind: 'palette' })}>
          <span>{i18n._('Jump to')}</span>
          <kbd aria-hidden="true">{commandKey('K')}</kbd>
        </button>
        <IconButton
          label={i18n._('Search messages')}
          keys={commandKey('Shift F')}
          icon={<Icon of={Search} size={20} />}
          onClick={() => navigate(pathTo('search'))}
        />
      </div>
      <div ref={lists} className={styles.lists} {...handlers}>
        <div className={styles.pages}>
          <Suspense>
            <OverviewRows />
            <PersonalRows />
          </Suspense>
        </div>
        {groups.map((group) => (
          <SidebarSection
            key={group.key}
            group={group}
            openId={openId}
            drafts={drafts}
            isCollapsed={group.section ? group.section.collapsed : collapsed.includes(group.key)}
            onCollapse={(on) => toggleGroup(group, on)}
            action={<GroupAction group={group} />}
          />
        ))}
      </div>
      <OwnProfileRow />
      <Suspense>
        {menu ? <SidebarMenu {...menu} groups={groups} openId={openId} onClose={closeMenu} /> : null}
      </Suspense>
    </nav>
  )
}

/** The button in the header of a group. */
function GroupAction({ group }: { group: Group }) {
  const me = useMe()
  const open = useOverlay()
  if (group.kind === 'section') {
    return (
      <IconButton
        label={i18n._('Options for {name}', { name: groupName(group) })}
        icon={<Icon of={Ellipsis} />}
        className={styles.add}
        aria-haspopup="menu"
        data-more
      />
    )
  }
  if (group.kind === 'people') {
    return (
      <IconButton
        label={i18n._('Start a conversation')}
        icon={<Icon of={Plus} />}
        className={styles.add}
        onClick={() => open({ kind: 'new-conversation' })}
      />
    )
  }
  if (group.kind === 'starred') return null
  const items: MenuItem[] = [
    { label: i18n._('Browse channels'), onSelect: () => open({ kind: 'browse-channels' }) },
    { label: i18n._('New section'), separated: true, onSelect: () => open({ kind: 'section', id: null }) },
  ]
  if (canCreateChannels(me)) {
    items.unshift({ label: i18n._('Create a channel'), onSelect: () => open({ kind: 'create-channel' }) })
  }
  return (
    <MenuButton
      label={i18n._('Add a channel')}
      icon={<Icon of={Plus} />}
      items={items}
      className={styles.add}
    />
  )
}
