import { i18n } from '@lingui/core'
import Ellipsis from 'lucide-react/icons/ellipsis'
import Plus from 'lucide-react/icons/plus'
import SquarePen from 'lucide-react/icons/square-pen'
import { Suspense, useRef } from 'react'
import { useSideGroups, type SideGroup as Group } from '../../data/sidebar/sections.ts'
import { Bird } from '../../ui/Bird.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import type { MenuItem } from '../../ui/Menu.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import { useOverlay } from '../overlays/OverlayContext.ts'
import { useMe } from '../people/MeContext.ts'
import { commandKey } from '../shortcuts/commandKey.ts'
import { groupName } from './groupName.ts'
import { Own } from './Own.tsx'
import styles from './Side.module.css'
import { sideDeeds } from './sideDeeds.ts'
import { SideGroup } from './SideGroup.tsx'
import { FilesRow } from './rows/FilesRow.tsx'
import { ThreadsRow } from './rows/ThreadsRow.tsx'
import { useFolded } from './useFolded.ts'
import { useKeeping } from './useKeeping.ts'
import { useSideHands } from './useSideHands.ts'
import { WorkspaceMenu } from './WorkspaceMenu.tsx'
import { lazily } from '../../ui/lazily.tsx'

const SideMenu = lazily(() => import('./menu/SideMenu.tsx'))

/** Where one is and where one can go: the workspace, its channels, its people. */
export function Side({ openId }: { openId: string | null }) {
  const me = useMe()
  const open = useOverlay()
  const groups = useSideGroups(openId)
  const lists = useRef<HTMLDivElement>(null)
  const { menu, closeMenu, handlers } = useSideHands(lists, groups)
  const keeping = useKeeping()
  const [folded, fold] = useFolded()
  const guest = me.role === 'guest'
  const setFolded = (group: Group, on: boolean) => {
    if (!group.section) return fold(group.key, on)
    keeping(async () => (await sideDeeds()).changeSection(group.key, { collapsed: on }))
  }
  return (
    <nav className={styles.side} aria-label={me.workspace.name}>
      <div className={styles.head}>
        <Bird />
        <bdi className={styles.workspace}>{me.workspace.name}</bdi>
        <WorkspaceMenu />
        <IconButton
          label={i18n._('New conversation')}
          icon={<Icon of={SquarePen} size={20} />}
          onClick={() => open({ kind: 'new-conversation' })}
        />
      </div>
      <button
        type="button"
        className={styles.find}
        aria-label={i18n._('Jump to')}
        onClick={() => open({ kind: 'palette' })}
      >
        <span>{i18n._('Jump to')}</span>
        <kbd>{commandKey('K')}</kbd>
      </button>
      <div ref={lists} className={styles.lists} {...handlers}>
        <ThreadsRow />
        <FilesRow />
        {groups.map((group) => (
          <SideGroup
            key={group.key}
            group={group}
            openId={openId}
            folded={group.section ? group.section.collapsed : folded.includes(group.key)}
            onFold={(on) => setFolded(group, on)}
            action={<Action group={group} guest={guest} />}
            none={noneIn(group, guest)}
          />
        ))}
      </div>
      <Own />
      <Suspense>
        {menu ? <SideMenu {...menu} groups={groups} openId={openId} onClose={closeMenu} /> : null}
      </Suspense>
    </nav>
  )
}

function noneIn({ kind }: Group, guest: boolean): string {
  if (kind === 'own') return i18n._('Drag conversations here, or use “Move to” in their menu.')
  if (kind === 'people') return i18n._('Select + to message someone or start a group.')
  return guest
    ? i18n._('You are in no channel yet. Whoever invited you can add you.')
    : i18n._('You’re not in any channels yet. Select + to browse or create one.')
}

/** What the heading of a part offers. */
function Action({ group, guest }: { group: Group; guest: boolean }) {
  const open = useOverlay()
  if (group.kind === 'own') {
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
    { label: i18n._('New section'), apart: true, onSelect: () => open({ kind: 'section', id: null }) },
  ]
  if (!guest) {
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
