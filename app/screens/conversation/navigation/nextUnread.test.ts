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

test('the next and the previous unread, round the ends', () => {
  expect(nextUnread(items, 'b', 1)).toBe('d')
  expect(nextUnread(items, 'd', -1)).toBe('b')
  expect(nextUnread(items, 'b', -1)).toBe('f')
  expect(nextUnread(items, 'f', 1)).toBe('b')
})

test('what is muted is passed over unless it calls', () => {
  expect(nextUnread(items, 'd', 1)).toBe('f')
})

test('from nowhere the first, or the last', () => {
  expect(nextUnread(items, null, 1)).toBe('b')
  expect(nextUnread(items, null, -1)).toBe('f')
})

test('nothing unread leads nowhere, and never to where one is', () => {
  expect(nextUnread([item('a', 3)], 'a', 1)).toBeNull()
  expect(nextUnread([], null, 1)).toBeNull()
})
