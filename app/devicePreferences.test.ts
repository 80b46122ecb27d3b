// @vitest-environment happy-dom
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { PREFERENCES, readPreference, storePreference, watchPreferences } from './devicePreferences.ts'

/** Files that store something else in this browser: what a page or a tab continues with, or what it knows of the server. */
const OTHERS = new Set([
  'data/client/settings.ts',
  'data/people/userActivity.ts',
  'data/persistence/clearLocalData.ts',
  'data/persistence/draftWrites.ts',
  'data/push/storedSubscription.ts',
  'data/session/lastWorkspace.ts',
  'features/flows/account/formInput.ts',
])

afterEach(() => {
  vi.unstubAllGlobals()
  localStorage.clear()
})

it('no other file uses localStorage for preferences of the device', () => {
  const found = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      /\.tsx?$/.test(path) &&
      !/\.(?:test|fixture)\.tsx?$/.test(path) &&
      path !== 'devicePreferences.ts' &&
      !OTHERS.has(path) &&
      /\blocalStorage\b/.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
  )
  expect(found).toEqual([])
})

it('the values of earlier versions are read', () => {
  const stored = {
    'linnet.theme': '{"theme":"dark"}',
    'linnet.language': 'de',
    'linnet.folded': 'channels people',
    'linnet.skin-tone': '3',
    'linnet.playback-rate': '1.5',
    'linnet.emoji': '["👀"]',
    'linnet.notifications': '{"sound":false}',
    'linnet.last-channel.w': 'c',
    'linnet.searches.w': '["from:bea"]',
  }
  for (const [key, text] of Object.entries(stored)) localStorage.setItem(key, text)
  expect(readPreference('appearance')).toMatchObject({ theme: 'dark', textSize: '100%' })
  expect(readPreference('language')).toBe('de')
  expect(readPreference('collapsedGroups')).toEqual(['channels', 'people'])
  expect([readPreference('skinTone'), readPreference('playbackRate')]).toEqual([3, 1.5])
  expect(readPreference('usedEmoji')).toEqual(['👀'])
  expect(readPreference('notifications')).toMatchObject({ sound: false, paused: false })
  expect([readPreference('lastChannel', 'w'), readPreference('lastChannel', 'x')]).toEqual(['c', ''])
  expect(readPreference('searches', 'w')).toEqual(['from:bea'])
})

it('invalid values are the default', () => {
  for (const { key } of Object.values(PREFERENCES)) localStorage.setItem(key, '{"no')
  expect([readPreference('skinTone'), readPreference('playbackRate')]).toEqual([0, 1])
  expect([readPreference('places'), readPreference('notifications').sound]).toEqual([[], true])
  localStorage.setItem('linnet.skin-tone', '9')
  expect(readPreference('skinTone')).toBe(0)
})

it('a stored value stays the same object, notifies watchers, and applies without storage', () => {
  const listener = vi.fn()
  const unwatch = watchPreferences(listener)
  const groups = ['people']
  expect(storePreference('collapsedGroups', groups)).toBe(true)
  expect(readPreference('collapsedGroups')).toBe(groups)
  expect(localStorage.getItem('linnet.folded')).toBe('people')
  vi.stubGlobal('localStorage', {
    getItem: () => 'people',
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError')
    },
  })
  expect(storePreference('collapsedGroups', [])).toBe(false)
  expect(readPreference('collapsedGroups')).toEqual([])
  expect(listener).toHaveBeenCalledTimes(2)
  unwatch()
})
