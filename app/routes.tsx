import { lazy, type ComponentType, type FunctionComponent } from 'react'
import { canAddEmoji, isOwnerOrAdmin } from './data/workspaces/workspacePermissions.ts'
import type { Me } from './features/parts/members/MeContext.ts'
import type { PageName, PageOfPath, PageParams } from './paths.ts'
import { Landing } from './screens/landing/Landing.tsx'
import { lazyComponent } from './ui/lazyComponent.tsx'

/** What the app displays for a page. */
interface Route<Name extends PageName> {
  Component: PageComponent<PageParams<Name>>
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
  isFor: (me: Me) => boolean = isForEveryone,
) => ({ Component, isFor, frame: 'messenger' as const })

type SettingsPanes = typeof import('./screens/settings/panes.ts')

const settings = <Name extends keyof SettingsPanes>(
  name: Name,
  isFor: (me: Me) => boolean = isOwnerOrAdmin,
  group: 'own' | 'workspace' = 'workspace',
) => ({
  ...messenger(
    lazyComponent(async () => {
      const panes = await import('./screens/settings/panes.ts')
      return { default: panes[name] as ComponentType<Parameters<SettingsPanes[Name]>[0]> }
    }),
    isFor,
  ),
  settings: group,
})

const phonePage = (name: keyof typeof import('./screens/phone/pages.ts')) =>
  lazy(async () => ({ default: (await import('./screens/phone/pages.ts'))[name] }))

const ownSettings = (name: keyof SettingsPanes) => settings(name, isForEveryone, 'own')

const account = (load: () => Promise<{ default: ComponentType }>) => ({
  Component: lazy(load),
  isFor: isForEveryone,
  frame: 'account' as const,
})

// The panes are loaded in parallel with the shell. The sidebar is rendered first, and messages once the panes are
// loaded.
const panes = import('./screens/conversation/Panes.tsx')
const Panes = lazy(() => panes)
const FilesPage = lazy(() => import('./screens/files/FilesPage.tsx'))
const SettingsFrame = lazyComponent(() => import('./screens/settings/SettingsFrame.tsx'))

/** All pages of the app. */
export const ROUTES: { [Name in PageName]: Route<Name> } = {
  home: messenger(Landing),
  channel: messenger(Panes),
  message: messenger(Panes),
  file: messenger(lazy(() => import('./screens/conversation/FileAddress.tsx'))),
  thread: messenger(Panes),
  channelFiles: messenger(FilesPage),
  activity: messenger(lazy(() => import('./screens/activity/ActivityPage.tsx'))),
  catchUp: messenger(lazy(() => import('./screens/catchUp/CatchUpPage.tsx'))),
  direct: messenger(phonePage('DirectPage')),
  drafts: messenger(lazy(() => import('./screens/drafts/DraftsPage.tsx'))),
  files: messenger(FilesPage),
  people: messenger(lazy(() => import('./screens/people/PeoplePage.tsx'))),
  person: messenger(lazy(() => import('./screens/people/PersonAddress.tsx'))),
  saved: messenger(lazy(() => import('./screens/saved/SavedPage.tsx'))),
  scheduled: messenger(lazy(() => import('./screens/scheduled/ScheduledPage.tsx'))),
  search: messenger(lazyComponent(() => import('./screens/search/SearchPage.tsx'), { preload: true })),
  share: messenger(phonePage('SharePage')),
  threads: messenger(lazy(() => import('./screens/threads/ThreadsPage.tsx'))),
  you: messenger(phonePage('YouPage')),
  settings: ownSettings('SettingsList'),
  profileSettings: ownSettings('ProfilePane'),
  securitySettings: ownSettings('SecurityPane'),
  notificationSettings: ownSettings('NotificationsPane'),
  appearanceSettings: ownSettings('AppearancePane'),
  exportSettings: ownSettings('ExportPane'),
  leaveWorkspace: ownSettings('LeavePane'),
  about: ownSettings('AboutPane'),
  generalSettings: settings('GeneralPane'),
  peopleSettings: settings('PeoplePane'),
  channelSettings: settings('ChannelsPane'),
  joiningSettings: settings('JoiningPane'),
  permissionSettings: settings('PermissionsPane'),
  botSettings: settings('BotsPane'),
  bot: settings('BotsPane'),
  storageSettings: settings('StoragePane'),
  imports: settings('ImportsPane'),
  workspaceExport: settings('WorkspaceExportPane', isForOwners),
  retentionSettings: settings('RetentionPane'),
  moderation: settings('ModerationPane'),
  auditLog: settings('AuditPane'),
  serverHealth: settings('HealthPane'),
  serverSettings: settings('ServerPane', isForOwners),
  emojiSettings: settings('EmojiPane', canAddEmoji),
  groupSettings: settings(
    'UserGroupsPane',
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
