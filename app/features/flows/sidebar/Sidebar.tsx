import { i18n } from '@lingui/core'
import Search from 'lucide-react/icons/search'
import SquarePen from 'lucide-react/icons/square-pen'
import { Suspense, useRef, type CSSProperties } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { useDrafts } from '../../../data/messages/useDrafts.ts'
import { useSidebarGroups, type SidebarGroup as Group } from '../../../data/sidebar/sections.ts'
import { Logo } from '../../../ui/Logo.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import { commandKey } from '../../parts/shortcuts/commandKey.ts'
import styles from './Sidebar.module.css'
import { loadSidebarCommands } from './loadSidebarCommands.ts'
import { SidebarSection } from './SidebarSection.tsx'
import { useDevicePreference } from '../../../data/hooks/useDevicePreference.ts'
import { useToastOnError } from '../../parts/toasts/useToastOnError.ts'
import { useSidebarGestures } from './useSidebarGestures.ts'
import { WorkspaceMenu } from './WorkspaceMenu.tsx'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { PHONE, useMedia } from '../../../ui/useMedia.ts'

const OverviewRows = lazyComponent(() => import('./rows/OverviewRows.tsx'))
const GroupAction = lazyComponent(() => import('./GroupAction.tsx'), { preload: true })
const OwnProfileRow = lazyComponent(() => import('./OwnProfileRow.tsx'), { preload: true })
const PersonalRows = lazyComponent(() => import('./rows/PersonalRows.tsx'))
const SidebarMenu = lazyComponent(() => import('./menu/SidebarMenu.tsx'))

/**
 * The sidebar: the workspace with its channels and direct conversations. `hasOthers`: whether the user is in several
 * workspaces.
 */
export function Sidebar({ openId, hasOthers }: { openId: string | null; hasOthers: boolean }) {
  const me = useMe()
  const isPhone = useMedia(PHONE)
  const open = useOverlay()
  const groups = useSidebarGroups(openId)
  const drafts = useDrafts()
  const lists = useRef<HTMLDivElement>(null)
  const { menu, closeMenu, handlers } = useSidebarGestures(lists, groups)
  const runWithToast = useToastOnError()
  const [collapsed, setCollapsed] = useDevicePreference('collapsedGroups')
  const [personalRows] = useDevicePreference('personalRows')
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
        <div className={styles.pages} style={{ '--personal-rows': personalRows } as CSSProperties}>
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
            action={
              <Suspense fallback={<span className={styles.add} />}>
                <GroupAction group={group} />
              </Suspense>
            }
          />
        ))}
      </div>
      {isPhone ? null : (
        <Suspense fallback={<div className={styles.own} />}>
          <OwnProfileRow />
        </Suspense>
      )}
      <Suspense>
        {menu ? <SidebarMenu {...menu} groups={groups} openId={openId} onClose={closeMenu} /> : null}
      </Suspense>
    </nav>
  )
}
