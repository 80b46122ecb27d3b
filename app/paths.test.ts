import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  conversationIn,
  findPage,
  formatAddress,
  PATHS,
  pathTo,
  replyAddress,
  signInAddress,
} from './paths.ts'

it.each(Object.entries(PATHS))('the path of %s is found, also with a slash at its end', (name, pattern) => {
  const params = Object.fromEntries([...pattern.matchAll(/:(\w+)/g)].map(([, param]) => [param, 'a']))
  const path = pattern.replaceAll(/:\w+/g, 'a')
  expect(findPage(path)).toEqual({ name, params })
  expect(findPage(path.replace(/\/?$/, '/'))).toEqual({ name, params })
})

it.each(['Ä b', 'a/b', '50%', '?', '#', ':x'])(
  'the parameter "%s" is encoded in a path and decoded again',
  (botId) => {
    const path = pathTo('bot', { botId })
    expect(new URL(path, 'http://localhost').pathname).toBe(path)
    expect(findPage(path)).toEqual({ name: 'bot', params: { botId } })
  },
)

it('other paths have no page', () => {
  for (const path of [
    '/c',
    '/c/',
    '/c/a/x/b',
    '/c/a/m/b/c',
    '/c/a/files/b',
    '/c/%E0',
    '/t/b',
    '/settings/x',
    '/x',
  ])
    expect([path, findPage(path)]).toEqual([path, null])
})

it('a path has a conversation with its thread or message, or none', () => {
  const none = { channelId: null, rootId: null, messageId: null }
  expect(conversationIn('/c/a')).toEqual({ ...none, channelId: 'a' })
  expect(conversationIn('/c/a/files')).toEqual({ ...none, channelId: 'a' })
  expect(conversationIn('/c/a/t/b')).toEqual({ ...none, channelId: 'a', rootId: 'b' })
  expect(conversationIn('/c/a/m/b')).toEqual({ ...none, channelId: 'a', messageId: 'b' })
  for (const path of ['/', '/threads', '/files', '/settings/bots', '/x'])
    expect(conversationIn(path)).toEqual(none)
})

it('an address leaves out empty values', () => {
  expect(formatAddress('/files', { name: '', by: null })).toBe('/files')
  expect(formatAddress('/search', { q: 'a&b', in: null })).toBe('/search?q=a%26b')
  expect(signInAddress('/')).toBe('/sign-in')
  expect(signInAddress('/c/a')).toBe('/sign-in?next=%2Fc%2Fa')
  expect(replyAddress({ id: 'r', channel_id: 'c', thread_root: 'a', thread_seq: 3 })).toBe('/c/c/t/a?at=3')
})

it('no other file of the app contains the path of a page', () => {
  const segments = new Set(['w', ...Object.values(PATHS).map((pattern) => pattern.split('/')[1]!)])
  const path = new RegExp(`(['"\`])/(?:(?:${[...segments].filter(Boolean).join('|')})(?=['"\`/?#])|\\1)`)
  // Of other addresses: parts of texts that are split, joined or replaced.
  const isOther = /(?:split|join|replaceAll|startsWith|import|from)\(?\s?(?:'_', )?'\/|'[-_]', '\/'|'\/', '_'/
  const findings = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test|\.fixture)\.tsx?$/.test(file) && file !== 'paths.ts')
    .flatMap((file) =>
      readFileSync(join(import.meta.dirname, file), 'utf8')
        .split('\n')
        .filter((line) => path.test(line) && !/^\s*(?:\*|\/[/*])/.test(line) && !isOther.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
  expect(findings).toEqual([])
})
