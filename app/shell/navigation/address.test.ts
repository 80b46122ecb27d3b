import { expect, test } from 'vitest'
import { addressOf } from './address.ts'

test('the path of a channel, a thread and a message', () => {
  const none = { rootId: null, messageId: null, isFilesPage: false }
  expect(addressOf('/c/a')).toEqual({ ...none, channelId: 'a' })
  expect(addressOf('/c/a/t/b')).toEqual({ ...none, channelId: 'a', rootId: 'b' })
  expect(addressOf('/c/a/m/b')).toEqual({ ...none, channelId: 'a', messageId: 'b' })
})

test('the path of files of a channel and of the workspace', () => {
  expect(addressOf('/c/a/files')).toMatchObject({ channelId: 'a', isFilesPage: true })
  expect(addressOf('/files/')).toMatchObject({ channelId: null, isFilesPage: true })
})

test('any other path has no conversation', () => {
  for (const path of [
    '/',
    '/threads',
    '/settings',
    '/c/',
    '/c/a/x/b',
    '/c/a/m/b/c',
    '/c/a/files/b',
    '/t/b',
    '/x/files',
  ])
    expect(addressOf(path)).toEqual({ channelId: null, rootId: null, messageId: null, isFilesPage: false })
})
