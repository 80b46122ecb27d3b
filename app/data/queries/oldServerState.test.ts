import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Mechanisms for server state that `createQuery` replaces. */
const MECHANISMS = {
  useAsync: /from '[./\w]*\/useAsync\.ts'/,
  reloadKey: /\bsetReload(?:Key|s)\b/,
  createWatchedValue: /from '[./\w]*\/watchedValue\.ts'/,
  cacheBySession: /new WeakMap<ClientSession,/,
  moduleCache: /^const (?:cache|lists) = new Map<|^let (?:last|cached|loading|loadedKey|known): /m,
}

/** Their remaining uses. Entries may only be removed. */
const REMAINING: Record<keyof typeof MECHANISMS, readonly string[]> = {
  useAsync: [
    'features/account/useMailsStayLocal.ts',
    'features/channels/BrowseChannels.tsx',
    'features/channels/ChannelChoice.tsx',
    'features/channels/CreateChannel.tsx',
    'features/channels/bookmarks/BookmarkDialog.tsx',
    'features/channels/details/PinnedMessages.tsx',
    'features/composer/SlowModeNotice.tsx',
    'features/files/browser/useConversationNames.ts',
    'features/members/card/PersonCard.tsx',
    'features/members/invite/Invite.tsx',
    'features/members/manage/ChangePeople.tsx',
    'features/message/edit/EditHistory.tsx',
    'features/message/move/MoveThread.tsx',
    'features/message/readers/WhoCanRead.tsx',
    'features/palette/usePaletteItems.tsx',
    'features/search/useQueryContext.ts',
    'screens/account/consent/Consent.tsx',
    'screens/account/join/Join.tsx',
    'screens/account/join/NoWorkspace.tsx',
    'screens/account/link/Callback.tsx',
    'screens/account/signIn/SignIn.tsx',
    'screens/account/twoFactor/TwoFactorPage.tsx',
    'screens/settings/bots/BotCommands.tsx',
    'screens/settings/bots/BotsPane.tsx',
    'screens/settings/bots/Webhooks.tsx',
    'screens/settings/health/HealthPane.tsx',
    'screens/settings/own/notifications/PushDevices.tsx',
    'screens/settings/own/security/AddAuthenticatorApp.tsx',
    'screens/settings/own/security/Applications.tsx',
    'screens/settings/own/security/Connections.tsx',
    'screens/settings/own/security/Passkeys.tsx',
    'screens/settings/own/security/PhoneSignIn.tsx',
    'screens/settings/own/security/Security.tsx',
    'screens/settings/own/security/Sessions.tsx',
    'screens/settings/userGroups/UserGroupMembers.tsx',
  ],
  reloadKey: [
    'features/channels/BrowseChannels.tsx',
    'features/channels/bookmarks/useBookmarks.ts',
    'screens/account/twoFactor/TwoFactorPage.tsx',
    'screens/settings/bots/BotCommands.tsx',
    'screens/settings/bots/BotsPane.tsx',
    'screens/settings/bots/Webhooks.tsx',
    'screens/settings/health/HealthPane.tsx',
    'screens/settings/own/notifications/PushDevices.tsx',
    'screens/settings/own/security/Applications.tsx',
    'screens/settings/own/security/Passkeys.tsx',
    'screens/settings/own/security/Security.tsx',
    'screens/settings/own/security/Sessions.tsx',
  ],
  createWatchedValue: [
    'data/administration/adminTasks.ts',
    'data/administration/joining.ts',
    'data/moderation/ownSilence.ts',
    'data/notifications/preferences.ts',
  ],
  cacheBySession: [
    'data/activity/useActivity.ts',
    'data/files/listing/useFiles.ts',
    'data/hooks/fetchedRows.ts',
    'data/hooks/watchedValue.ts',
    'data/messages/attachedFiles.ts',
    'data/notifications/preferences.ts',
    'data/search/useSearch.ts',
    'data/workspaces/unreadBySession.ts',
  ],
  moduleCache: [
    'data/account/signInMethods.ts',
    'data/administration/health.ts',
    'data/channels/bookmarks.ts',
    'data/emoji/customEmoji.ts',
    'data/files/upload/maxFileSize.ts',
    'data/messages/botCommands.ts',
    'data/userGroups/userGroups.ts',
    'features/channels/useChannelPeople.ts',
  ],
}

const app = join(import.meta.dirname, '../..')
const sources = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path),
)

it.each(Object.entries(MECHANISMS))(
  'server state uses %s only in the files that are listed, each of which still does',
  (name, pattern) => {
    const found = sources.filter((path) => pattern.test(readFileSync(join(app, path), 'utf8'))).toSorted()
    expect(found).toEqual(REMAINING[name as keyof typeof MECHANISMS])
  },
)
