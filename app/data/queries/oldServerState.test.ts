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
  hook: [],
  reloadKey: [],
  cacheBySession: [
    'data/activity/useActivity.ts',
    'data/files/listing/useFiles.ts',
    'data/hooks/fetchedRows.ts',
    'data/workspaces/unreadBySession.ts',
  ],
  moduleCache: [
    'data/emoji/customEmoji.ts',
    'data/files/upload/maxFileSize.ts',
    'data/messages/botCommands.ts',
    'data/userGroups/userGroups.ts',
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
