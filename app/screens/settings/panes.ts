import { lazyComponent } from '../../ui/lazyComponent.tsx'

// The pages of the settings for the workspace. One module for the table of routes: each one that it names is part of the
// first download.
export const AuditPane = lazyComponent(() => import('./audit/AuditPane.tsx'))
export const BotsPane = lazyComponent(() => import('./bots/BotsPane.tsx'))
export const ChannelsPane = lazyComponent(() => import('./channels/ChannelsPane.tsx'))
export const EmojiPane = lazyComponent(() => import('./emoji/EmojiPane.tsx'))
export const GeneralPane = lazyComponent(() => import('./general/GeneralPane.tsx'))
export const HealthPane = lazyComponent(() => import('./health/HealthPane.tsx'))
export const JoiningPane = lazyComponent(() => import('./joining/JoiningPane.tsx'))
export const ModerationPane = lazyComponent(() => import('./moderation/ModerationPane.tsx'))
export const PeoplePane = lazyComponent(() => import('./people/PeoplePane.tsx'))
export const PermissionsPane = lazyComponent(() => import('./permissions/PermissionsPane.tsx'))
export const RetentionPane = lazyComponent(() => import('./retention/RetentionPane.tsx'))
export const StoragePane = lazyComponent(() => import('./storage/StoragePane.tsx'))
export const UserGroupsPane = lazyComponent(() => import('./userGroups/UserGroupsPane.tsx'))
