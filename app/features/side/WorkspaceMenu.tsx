import { i18n } from '@lingui/core'
import ChevronDown from 'lucide-react/icons/chevron-down'
import { useLocation } from 'wouter'
import { Icon } from '../../ui/Icon.tsx'
import type { MenuItem } from '../../ui/Menu.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import { useOverlay } from '../overlays/OverlayContext.ts'
import { useSignOut } from '../people/leaving/useSignOut.ts'
import styles from './Side.module.css'

/** What concerns the whole workspace, and the way out of it. */
export function WorkspaceMenu({ guest }: { guest: boolean }) {
  const open = useOverlay()
  const [, navigate] = useLocation()
  const signOut = useSignOut()
  const items: MenuItem[] = []
  if (!guest) {
    items.push({ label: i18n._('Invite people'), onSelect: () => open({ kind: 'invite' }) })
  }
  items.push({ label: i18n._('Browse channels'), onSelect: () => open({ kind: 'browse-channels' }) })
  items.push({ label: i18n._('Settings'), onSelect: () => navigate('/settings') })
  items.push({ label: i18n._('Keyboard'), keys: '?', onSelect: () => open({ kind: 'keys' }) })
  items.push({
    label: i18n._('Sign out'),
    apart: true,
    onSelect: signOut,
  })
  return (
    <MenuButton
      label={i18n._('Workspace menu')}
      icon={<Icon of={ChevronDown} />}
      items={items}
      className={styles.menu}
    />
  )
}
