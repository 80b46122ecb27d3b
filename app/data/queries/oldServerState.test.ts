import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Mechanisms for server state that `createQuery` replaces. */
const MECHANISMS = [
  /\b(?:useAsync|usePages|createWatchedValue)\b/,
  /\bsetReload(?:Key|s)\b/,
  /new WeakMap<ClientSession,/,
  /^const (?:cache|lists) = new Map<|^let (?:last|cached|loading|loadedKey|known): /m,
]

/** State of this page by session, which is none of the server. */
const LOCAL_STATE = new Set(['data/messages/attachedFiles.ts', 'data/notifications/preferences.ts'])

/** The files that still use one. Entries may only be removed. */
const REMAINING = ['data/emoji/customEmoji.ts', 'data/userGroups/userGroups.ts']

it('only the listed files use earlier mechanisms for server state, and each of them still does', () => {
  const app = join(import.meta.dirname, '../..')
  const found = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter((path) => {
    if (!/\.tsx?$/.test(path) || /\.test\.tsx?$/.test(path) || LOCAL_STATE.has(path)) return false
    const source = readFileSync(join(app, path), 'utf8')
    return MECHANISMS.some((pattern) => pattern.test(source))
  })
  expect(found.toSorted()).toEqual(REMAINING)
})
