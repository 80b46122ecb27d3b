import { expect, test } from 'vitest'
import { nextUnread } from './nextUnread.ts'

const item = (id: string, unread: number, mentions = 0, muted = false) => ({ id, unread, mentions, muted })
const items = [
  item('a', 0),
  item('b', 2),
  item('c', 0),
  item('d', 5),
  item('e', 3, 0, true),
  item('f', 1, 1, true),
]

test('the next and previous unread conversation, wrapping around', () => {
  expect(nextUnread(items, 'b', 1)).toBe('d')
  expect(nextUnread(items, 'd', -1)).toBe('b')
  expect(nextUnread(items, 'b', -1)).toBe('f')
  expect(nextUnread(items, 'f', 1)).toBe('b')
})

test('a muted conversation is skipped unless it has a mention', () => {
  expect(nextUnread(items, 'd', 1)).toBe('f')
})

test('without an open conversation, selects the first or the last unread one', () => {
  expect(nextUnread(items, null, 1)).toBe('b')
  expect(nextUnread(items, null, -1)).toBe('f')
})

test('null without unread conversations; never the open one', () => {
  expect(nextUnread([item('a', 3)], 'a', 1)).toBeNull()
  expect(nextUnread([], null, 1)).toBeNull()
})
