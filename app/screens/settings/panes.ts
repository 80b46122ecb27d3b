import { i18n } from '@lingui/core'
import type { ComponentType } from 'react'
import { canAddEmoji, isOwnerOrAdmin } from '../../data/workspaces/workspacePermissions.ts'
import type { Me } from '../../features/members/MeContext.ts'
import { lazyComponent } from '../../ui/lazyComponent.tsx'
import type { PaneProps } from './PaneProps.ts'

/** A page of the settings for the workspace. */
export interface SettingsPaneEntry {
  path: string
  /** The label of the button that opens the page. */
  label: () => string
  /** Whether the page is offered to the user. The server checks their rights again. */
  isFor: (me: Me) => boolean
  /** Whether `<path>/<item>` are pages too. */
  hasItems?: true
  Component: ComponentType<PaneProps>
}

const lazyPane = (load: () => Promise<{ default: ComponentType<PaneProps> }>) =>
  lazyComponent<PaneProps>(load)

/** All pages of the settings, in the order of their buttons. */
export const SETTINGS_PANES: readonly SettingsPaneEntry[] = [
  {
    path: '/settings/general',
    label: () => i18n._('General settings'),
    isFor: isOwnerOrAdmin,
    Component: lazyPane(() => import('./general/GeneralPane.tsx')),
  },
  {
    path: '/settings/people',
    label: () => i18n._('Manage people'),
    isFor: isOwnerOrAdmin,
    Component: lazyPane(() => import('./people/PeoplePane.tsx')),
  },
  {
    path: '/settings/channels',
    label: () => i18n._('Manage channels'),
    isFor: isOwnerOrAdmin,
    Component: lazyPane(() => import('./channels/ChannelsPane.tsx')),
  },
  {
    path: '/settings/joining',
    label: () => i18n._('Joining'),
    isFor: isOwnerOrAdmin,
    Component: lazyPane(() => import('./joining/JoiningPane.tsx')),
  },
  {
    path: '/settings/permissions',
    label: () => i18n._('Permissions and ownership'),
    isFor: isOwnerOrAdmin,
    Component: lazyPane(() => import('./permissions/PermissionsPane.tsx')),
  },
  {
    path: '/settings/bots',
    label: () => i18n._('Bots and webhooks'),
    isFor: isOwnerOrAdmin,
    hasItems: true,
    Component: lazyPane(() => import('./bots/BotsPane.tsx')),
  },
  {
    path: '/settings/storage',
    label: () => i18n._('File storage'),
    isFor: isOwnerOrAdmin,
    Component: lazyPane(() => import('./storage/StoragePane.tsx')),
  },
  {
    path: '/settings/retention',
    label: () => i18n._('Message retention'),
    isFor: isOwnerOrAdmin,
    Component: lazyPane(() => import('./retention/RetentionPane.tsx')),
  },
  {
    path: '/settings/moderation',
    label: () => i18n._('Reports and silences'),
    isFor: isOwnerOrAdmin,
    Component: lazyPane(() => import('./moderation/ModerationPane.tsx')),
  },
  {
    path: '/settings/audit',
    label: () => i18n._('Audit log'),
    isFor: isOwnerOrAdmin,
    Component: lazyPane(() => import('./audit/AuditPane.tsx')),
  },
  {
    path: '/settings/health',
    label: () => i18n._('Server health'),
    isFor: isOwnerOrAdmin,
    Component: lazyPane(() => import('./health/HealthPane.tsx')),
  },
  {
    path: '/settings/emoji',
    label: () => i18n._('Custom emoji'),
    isFor: canAddEmoji,
    Component: lazyPane(() => import('./emoji/EmojiPane.tsx')),
  },
  {
    path: '/settings/groups',
    label: () => i18n._('Groups'),
    // Guests see groups only where they are mentioned.
    isFor: ({ role }) => role !== 'guest',
    Component: lazyPane(() => import('./userGroups/UserGroupsPane.tsx')),
  },
]

/**
 * Finds the pane of a path with the displayed item, if the user may see it. Null for the page of the user's own
 * settings.
 */
export function findPane(path: string, me: Me): { pane: SettingsPaneEntry; item: string | null } | null {
  for (const pane of SETTINGS_PANES) {
    if (!pane.isFor(me)) continue
    if (path === pane.path) return { pane, item: null }
    if (pane.hasItems && path.startsWith(`${pane.path}/`)) {
      return { pane, item: path.slice(pane.path.length + 1).split('/')[0] || null }
    }
  }
  return null
}
