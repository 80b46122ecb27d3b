import { i18n } from '@lingui/core'
import { lazy, type ComponentType, type FunctionComponent } from 'react'
import { canAddEmoji, isOwnerOrAdmin } from './data/workspaces/workspacePermissions.ts'
import type { Me } from './features/parts/members/MeContext.ts'
import type { PageName, PageOfPath, PageParams } from './paths.ts'
import { Landing } from './screens/landing/Landing.tsx'
import { lazyComponent } from './ui/lazyComponent.tsx'

/** What the app displays for a page. */
interface Route<Name extends PageName> {
  Component: PageComponent<PageParams<Name>>
  /** The title of the browser's tab; null: the page sets it, or it is the name of the conversation or workspace. */
  title: (() => string) | null
  /** Whether the page is offered to a member. The server checks their rights again. */
  isFor: (me: Me) => boolean
  /** `account`: a page that needs no session. `none`: a page for a session, without the sidebar. */
  frame: 'messenger' | 'account' | 'none'
  /** The group of a page of the settings. */
  settings?: 'own' | 'workspace'
}

type PageComponent<Params extends object> = (props: Params) => ReturnType<FunctionComponent>

const isForEveryone = () => true
const isForOwners = ({ role }: Me) => role === 'owner'

const messenger = <Params extends object>(
  Component: PageComponent<Params>,
  title: (() => string) | null,
  isFor: (me: Me) => boolean = isForEveryone,
) => ({ Component, title, isFor, frame: 'messenger' as const })

type SettingsPanes = typeof import('./screens/settings/panes.ts')

const settings = <Name extends keyof SettingsPanes>(
  name: Name,
  title: () => string,
  isFor: (me: Me) => boolean = isOwnerOrAdmin,
  group: 'own' | 'workspace' = 'workspace',
) => ({
  ...messenger(
    lazyComponent(async () => {
      const panes = await import('./screens/settings/panes.ts')
      return { default: panes[name] as ComponentType<Parameters<SettingsPanes[Name]>[0]> }
    }),
    title,
    isFor,
  ),
  settings: group,
})

const phonePage = (name: keyof typeof import('./screens/phone/pages.ts')) =>
  lazy(async () => ({ default: (await import('./screens/phone/pages.ts'))[name] }))

const ownSettings = (name: keyof SettingsPanes, title: () => string) =>
  settings(name, title, isForEveryone, 'own')

const account = (load: () => Promise<{ default: ComponentType }>) => ({
  Component: lazy(load),
  title: null,
  isFor: isForEveryone,
  frame: 'account' as const,
})

// The panes are loaded in parallel with the shell. The sidebar is rendered first, and messages once the panes are
// loaded.
const panes = import('./screens/conversation/Panes.tsx')
const Panes = lazy(() => panes)
const FilesPage = lazy(() => import('./screens/files/FilesPage.tsx'))
const SettingsFrame = lazyComponent(() => import('./screens/settings/SettingsFrame.tsx'))

/** All pages of the app. Settings are in the order of their links. */
export const ROUTES: { [Name in PageName]: Route<Name> } = {
  home: messenger(Landing, null),
  channel: messenger(Panes, null),
  message: messenger(Panes, null),
  file: messenger(
    lazy(() => import('./screens/conversation/FileAddress.tsx')),
    null,
  ),
  thread: messenger(Panes, null),
  channelFiles: messenger(FilesPage, null),
  activity: messenger(
    lazy(() => import('./screens/activity/ActivityPage.tsx')),
    () => i18n._('Activity'),
  ),
  catchUp: messenger(
    lazy(() => import('./screens/catchUp/CatchUpPage.tsx')),
    () => i18n._('Catch up'),
  ),
  direct: messenger(phonePage('DirectPage'), () => i18n._('Direct messages')),
  drafts: messenger(
    lazy(() => import('./screens/drafts/DraftsPage.tsx')),
    () => i18n._('Drafts'),
  ),
  files: messenger(FilesPage, () => i18n._('Files')),
  people: messenger(
    lazy(() => import('./screens/people/PeoplePage.tsx')),
    () => i18n._('People directory'),
  ),
  person: messenger(
    lazy(() => import('./screens/people/PersonAddress.tsx')),
    () => i18n._('People directory'),
  ),
  saved: messenger(
    lazy(() => import('./screens/saved/SavedPage.tsx')),
    () => i18n._('Saved'),
  ),
  scheduled: messenger(
    lazy(() => import('./screens/scheduled/ScheduledPage.tsx')),
    () => i18n._('Scheduled'),
  ),
  search: messenger(
    lazyComponent(() => import('./screens/search/SearchPage.tsx'), { preload: true }),
    () => i18n._('Search'),
  ),
  share: messenger(phonePage('SharePage'), () => i18n._('Share')),
  threads: messenger(
    lazy(() => import('./screens/threads/ThreadsPage.tsx')),
    () => i18n._('Threads'),
  ),
  you: messenger(phonePage('YouPage'), () => i18n._('You')),
  settings: ownSettings('SettingsList', () => i18n._('Settings')),
  profileSettings: ownSettings('ProfilePane', () => i18n._('Profile')),
  securitySettings: ownSettings('SecurityPane', () => i18n._('Account and security')),
  notificationSettings: ownSettings('NotificationsPane', () => i18n._('Notifications')),
  appearanceSettings: ownSettings('AppearancePane', () => i18n._('Appearance and language')),
  exportSettings: ownSettings('ExportPane', () => i18n._('Your data')),
  leaveWorkspace: ownSettings('LeavePane', () => i18n._('Leave workspace')),
  about: ownSettings('AboutPane', () => i18n._('About Linnet')),
  generalSettings: settings('GeneralPane', () => i18n._('General settings')),
  peopleSettings: settings('PeoplePane', () => i18n._('Manage people')),
  channelSettings: settings('ChannelsPane', () => i18n._('Manage channels')),
  joiningSettings: settings('JoiningPane', () => i18n._('Joining')),
  permissionSettings: settings('PermissionsPane', () => i18n._('Permissions and ownership')),
  botSettings: settings('BotsPane', () => i18n._('Bots and webhooks')),
  bot: settings('BotsPane', () => i18n._('Bots and webhooks')),
  storageSettings: settings('StoragePane', () => i18n._('File storage')),
  imports: settings('ImportsPane', () => i18n._('Imports')),
  workspaceExport: settings('WorkspaceExportPane', () => i18n._('Export'), isForOwners),
  retentionSettings: settings('RetentionPane', () => i18n._('Message retention')),
  moderation: settings('ModerationPane', () => i18n._('Reports and silences')),
  auditLog: settings('AuditPane', () => i18n._('Audit log')),
  serverHealth: settings('HealthPane', () => i18n._('Server health')),
  serverSettings: settings('ServerPane', () => i18n._('Server'), isForOwners),
  emojiSettings: settings('EmojiPane', () => i18n._('Custom emoji'), canAddEmoji),
  groupSettings: settings(
    'UserGroupsPane',
    () => i18n._('Groups'),
    // Guests see groups only where they are mentioned.
    ({ role }) => role !== 'guest',
  ),
  setup: account(() => import('./screens/first-run/FirstRun.tsx')),
  signIn: account(() => import('./screens/account/signIn/SignIn.tsx')),
  forgottenPassword: account(() => import('./screens/account/password/ForgottenPassword.tsx')),
  newPassword: account(() => import('./screens/account/password/NewPassword.tsx')),
  confirm: account(() => import('./screens/account/link/Confirm.tsx')),
  device: account(() => import('./screens/account/link/DevicePage.tsx')),
  callback: account(() => import('./screens/account/link/Callback.tsx')),
  join: account(() => import('./screens/account/join/JoinPage.tsx')),
  consent: { ...account(() => import('./screens/account/consent/Consent.tsx')), frame: 'none' },
}

/** Renders a page without the frame of the messenger. */
export function PageContent({ page }: { page: PageOfPath }) {
  const route = ROUTES[page.name]
  const Component = route.Component as PageComponent<object>
  const content = <Component {...page.params} />
  return route.settings ? <SettingsFrame page={page.name}>{content}</SettingsFrame> : content
}
