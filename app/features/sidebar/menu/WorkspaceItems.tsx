import { i18n } from '@lingui/core'
import { useLocation } from 'wouter'
import Menu, { type MenuItem } from '../../../ui/Menu.tsx'
import { useOverlay } from '../../overlays/OverlayContext.ts'
import { useSignOut } from '../../signOut/useSignOut.ts'
import { canInvite } from '../../members/canInvite.ts'
import { useMe } from '../../members/MeContext.ts'

interface Props {
  label: string
  anchor: HTMLElement
  onClose: () => void
}

/** Actions for the whole workspace, and signing out. */
export default function WorkspaceItems({ label, anchor, onClose }: Props) {
  const { role } = useMe()
  const open = useOverlay()
  const [, navigate] = useLocation()
  const signOut = useSignOut()
  const items: MenuItem[] = []
  if (canInvite(role)) {
    items.push({ label: i18n._('Invite people'), onSelect: () => open({ kind: 'invite' }) })
  }
  items.push({ label: i18n._('Browse channels'), onSelect: () => open({ kind: 'browse-channels' }) })
  items.push({ label: i18n._('Settings'), onSelect: () => navigate('/settings') })
  items.push({ label: i18n._('Keyboard shortcuts'), keys: '?', onSelect: () => open({ kind: 'keys' }) })
  items.push({ label: i18n._('Sign out'), separated: true, onSelect: signOut })
  return <Menu label={label} items={items} anchor={anchor} onClose={onClose} />
}
