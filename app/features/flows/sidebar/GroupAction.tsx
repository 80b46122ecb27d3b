import { i18n } from '@lingui/core'
import Ellipsis from 'lucide-react/icons/ellipsis'
import Plus from 'lucide-react/icons/plus'
import type { SidebarGroup as Group } from '../../../data/sidebar/sections.ts'
import { canCreateChannels } from '../../../data/workspaces/workspacePermissions.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { MenuButton } from '../../../ui/MenuButton.tsx'
import { useMe } from '../../parts/members/MeContext.ts'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'
import { groupName } from './groupName.ts'
import styles from './Sidebar.module.css'

/** The button in the header of a group. */
export default function GroupAction({ group }: { group: Group }) {
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
