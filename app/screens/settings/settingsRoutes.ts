import { i18n } from '@lingui/core'
import type { Me } from '../../features/parts/members/MeContext.ts'
import { pathTo, type PageName, type SettingsPageName } from '../../paths.ts'
import { ROUTES } from '../../routes.tsx'

/** A page of the settings. */
export interface SettingsRoute {
  name: PageName
  path: string
  title: () => string
  isFor: (me: Me) => boolean
  /** The user's own settings, or those of the workspace. */
  group: 'own' | 'workspace'
}

const titles: Record<SettingsPageName, () => string> = {
  profileSettings: () => i18n._('Profile'),
  securitySettings: () => i18n._('Account and security'),
  notificationSettings: () => i18n._('Notifications'),
  appearanceSettings: () => i18n._('Appearance and language'),
  exportSettings: () => i18n._('Your data'),
  leaveWorkspace: () => i18n._('Leave workspace'),
  about: () => i18n._('About Linnet'),
  generalSettings: () => i18n._('General settings'),
  peopleSettings: () => i18n._('Manage people'),
  channelSettings: () => i18n._('Manage channels'),
  joiningSettings: () => i18n._('Joining'),
  permissionSettings: () => i18n._('Permissions and ownership'),
  botSettings: () => i18n._('Bots and webhooks'),
  storageSettings: () => i18n._('File storage'),
  imports: () => i18n._('Imports'),
  workspaceExport: () => i18n._('Export'),
  retentionSettings: () => i18n._('Message retention'),
  moderation: () => i18n._('Reports and silences'),
  auditLog: () => i18n._('Audit log'),
  serverHealth: () => i18n._('Server health'),
  serverSettings: () => i18n._('Server'),
  emojiSettings: () => i18n._('Custom emoji'),
  groupSettings: () => i18n._('Groups'),
}

/** The pages of the settings, in the order of their links. */
export const SETTINGS: readonly SettingsRoute[] = (Object.keys(titles) as SettingsPageName[]).flatMap(
  (name) => {
    const { isFor, settings: group } = ROUTES[name]
    return group ? [{ name, path: pathTo(name), title: titles[name], isFor, group }] : []
  },
)
