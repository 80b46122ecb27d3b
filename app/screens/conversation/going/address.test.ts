import { expect, test } from 'vitest'
import { addressOf } from './address.ts'

test('a channel, a thread of it, a message of it', () => {
  expect(addressOf('/c/a')).toEqual({ channelId: 'a', rootId: null, messageId: null })
  expect(addressOf('/c/a/t/b')).toEqual({ channelId: 'a', rootId: 'b', messageId: null })
  expect(addressOf('/c/a/m/b')).toEqual({ channelId: 'a', rootId: null, messageId: 'b' })
})

test('any other page is no conversation', () => {
  for (const path of ['/', '/threads', '/settings', '/c/', '/c/a/x/b', '/c/a/m/b/c'])
    expect(addressOf(path)).toEqual({ channelId: null, rootId: null, messageId: null })
})
