import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Mechanisms for server state that `createQuery` replaces. */
const MECHANISMS = {
  hook: /\b(?:useAsync|usePages|createWatchedValue)\b/,
  reloadKey: /\bsetReload(?:Key|s)\b/,
  cacheBySession: /new WeakMap<ClientSession,/,
  moduleCache: /^const (?:cache|lists) = new Map<|^let (?:last|cached|loading|loadedKey|known): /m,
}

/** State of this page by session, which is none of the server. */
const LOCAL_STATE = new Set(['data/messages/attachedFiles.ts', 'data/notifications/preferences.ts'])

/** Their remaining uses. Entries may only be removed. */
const REMAINING: Record<keyof typeof MECHANISMS, readonly string[]> = {
  hook: [
    'data/administration/adminTasks.ts',
    'data/administration/joining.ts',
    'data/hooks/watchedValue.ts',
    'data/moderation/ownSilence.ts',
    'features/channels/BrowseChannels.tsx',
    'features/channels/ChannelChoice.tsx',
    'features/channels/CreateChannel.tsx',
    'features/channels/bookmarks/BookmarkDialog.tsx',
    'features/channels/details/PinnedMessages.tsx',
    'features/composer/SlowModeNotice.tsx',
    'features/files/browser/useConversationNames.ts',
    'features/members/card/PersonCard.tsx',
    'features/members/manage/ChangePeople.tsx',
    'features/message/edit/EditHistory.tsx',
    'features/message/move/MoveThread.tsx',
    'features/message/readers/WhoCanRead.tsx',
    'features/palette/usePaletteItems.tsx',
    'features/search/useQueryContext.ts',
    'screens/settings/bots/BotCommands.tsx',
    'screens/settings/bots/BotsPane.tsx',
    'screens/settings/bots/Webhooks.tsx',
    'screens/settings/health/HealthPane.tsx',
    'screens/settings/userGroups/UserGroupMembers.tsx',
    'ui/useAsync.ts',
  ],
  reloadKey: [
    'features/channels/BrowseChannels.tsx',
    'features/channels/bookmarks/useBookmarks.ts',
    'screens/settings/bots/BotCommands.tsx',
    'screens/settings/bots/BotsPane.tsx',
    'screens/settings/bots/Webhooks.tsx',
    'screens/settings/health/HealthPane.tsx',
  ],
  cacheBySession: [
    'data/activity/useActivity.ts',
    'data/files/listing/useFiles.ts',
    'data/hooks/fetchedRows.ts',
    'data/hooks/watchedValue.ts',
    'data/search/useSearch.ts',
    'data/workspaces/unreadBySession.ts',
  ],
  moduleCache: [
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
  (path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path) && !LOCAL_STATE.has(path),
)

it.each(Object.entries(MECHANISMS))(
  'server state uses %s only in the files that are listed, each of which still does',
  (name, pattern) => {
    const found = sources.filter((path) => pattern.test(readFileSync(join(app, path), 'utf8'))).toSorted()
    expect(found).toEqual(REMAINING[name as keyof typeof MECHANISMS])
  },
)
