import { i18n } from '@lingui/core'
import { pathTo } from '../../../../paths.ts'
import { navigate } from '../../../../historyState.ts'
import { showWorkspace, useWorkspaces, type ListedWorkspace } from '../../../../data/workspaces/workspaces.ts'
import { useFirstSteps } from '../../../../data/administration/firstSteps.ts'
import { useServerAttention } from '../../../../data/administration/attention.ts'
import Menu, { type MenuItem } from '../../../../ui/Menu.tsx'
import { TOUCH_PHONE, useMedia } from '../../../../ui/useMedia.ts'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import { useSignOut } from '../../signOut/useSignOut.ts'
import { canInvite } from '../../../../data/workspaces/workspacePermissions.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { workspaceKeys } from '../../../parts/shortcuts/workspaceKeys.ts'
import { WorkspaceIcon } from '../../workspaces/WorkspaceIcon.tsx'

interface Props {
  label: string
  anchor: HTMLElement
  onClose: () => void
}

function unreadHint({ unread, mentions }: ListedWorkspace): Pick<MenuItem, 'hint' | 'isUrgent'> {
  if (mentions > 0) return { hint: mentions > 99 ? '99+' : String(mentions), isUrgent: true }
  return unread ? { hint: i18n._('Unread') } : {}
}

/** The user's workspaces, actions for the shown one, and signing out. */
export default function WorkspaceItems({ label, anchor, onClose }: Props) {
  const me = useMe()
  const open = useOverlay()
  const isTouchPhone = useMedia(TOUCH_PHONE)
  const signOut = useSignOut()
  const workspaces = useWorkspaces()
  const steps = useFirstSteps(me.role === 'owner')?.length ?? 0
  const needsAttention = useServerAttention(me.role === 'owner')
  const items: MenuItem[] = []
  if (workspaces.length > 1) {
    for (const [index, workspace] of workspaces.entries()) {
      const keys = workspaceKeys(index)
      items.push({
        id: workspace.id,
        label: workspace.name,
        icon: <WorkspaceIcon workspace={workspace} />,
        checked: workspace.isShown,
        ...unreadHint(workspace),
        ...(keys ? { keys } : {}),
        onSelect: () => {
          if (!workspace.isShown) showWorkspace(workspace.id)
        },
      })
    }
  }
  const first = items.length
  if (canInvite(me)) {
    items.push({ label: i18n._('Invite people'), onSelect: () => open({ kind: 'invite' }) })
  }
  items.push({ label: i18n._('Browse channels'), onSelect: () => open({ kind: 'browse-channels' }) })
  items.push({ label: i18n._('Settings'), onSelect: () => navigate(pathTo('settings')) })
  if (steps > 0) {
    items.push({
      label: i18n._('First steps'),
      hint: String(steps),
      onSelect: () => open({ kind: 'first-steps' }),
    })
  }
  if (needsAttention) {
    items.push({
      label: i18n._('Server health'),
      hint: i18n._('Needs attention'),
      onSelect: () => navigate(pathTo('serverHealth')),
    })
  }
  if (!isTouchPhone) {
    items.push({ label: i18n._('Keyboard shortcuts'), keys: '?', onSelect: () => open({ kind: 'keys' }) })
  }
  if (me.role === 'owner') {
    items.push({ label: i18n._('Create a workspace'), onSelect: () => open({ kind: 'create-workspace' }) })
  }
  if (first > 0 && items[first]) items[first].separated = true
  items.push({ label: i18n._('Sign out'), separated: true, onSelect: signOut })
  return <Menu label={label} items={items} anchor={anchor} onClose={onClose} />
}
