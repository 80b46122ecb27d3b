import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Mechanisms for server state beside the store and queries. */
const MECHANISMS = [
  /\b(?:useAsync|usePages|createWatchedValue)\b/,
  /\bsetReload(?:Key|s)\b/,
  /new WeakMap<ClientSession,/,
  /^const (?:cache|lists) = new Map<|^let (?:last|cached|loading|loadedKey|known): /m,
]

/** State of this page by session, which is none of the server. */
const LOCAL_STATE = new Set([
  'data/activity/activityList.ts',
  'data/messages/attachedFiles.ts',
  'data/notifications/preferences.ts',
])

it('state of the server is a synchronised row or a query', () => {
  const app = join(import.meta.dirname, '../..')
  const found = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter((path) => {
    if (!/\.tsx?$/.test(path) || /\.test\.tsx?$/.test(path) || LOCAL_STATE.has(path)) return false
    const source = readFileSync(join(app, path), 'utf8')
    return MECHANISMS.some((pattern) => pattern.test(source))
  })
  expect(found).toEqual([])
})
