import { expect, test } from 'vitest'
import type { Message } from '../../../../../wire/messages.ts'
import { timelineRows, type Row } from '../../message/timelineRows.ts'
import { countUnreadAround } from './countUnreadAround.ts'
import { lastReadNumber } from './lastReadNumber.ts'
import { createSeenTracker } from './createSeenTracker.ts'

const createMessage = (seq: number, change: Partial<Message> = {}): Message =>
  ({
    id: `m${seq}`,
    seq,
    thread_seq: null,
    kind: 'text',
    author_id: 'bea',
    created_at: '2025-11-12T09:00:00Z',
    deleted_at: null,
    reply_count: 0,
    ...change,
  }) as Message

const rowsOf = (messages: Message[]): Row[] =>
  timelineRows(
    messages.map((message) => ({ kind: 'message', id: message.id, message })),
    { me: 'ann', scope: 'channel', firstUnread: null, hidden: new Set() },
  )
const rowsFrom = (from: number, to: number) =>
  rowsOf(Array.from({ length: to - from + 1 }, (_, index) => createMessage(from + index)))
const lastRead = (rows: Row[], readTo: number, seen: number[]) =>
  lastReadNumber(rows, 'channel', 'ann', readTo, (number) => seen.includes(number))

test('a message that stays in view for a moment counts as seen', () => {
  const sightings = createSeenTracker()
  expect(sightings.update(0, [1, 2])).toBe(250)
  expect(sightings.update(100, [2, 3])).toBe(150)
  expect(sightings.update(250, [2, 3])).toBe(100)
  expect([1, 2, 3].filter(sightings.has)).toEqual([2])
  expect(sightings.update(350, [2, 3])).toBeNull()
  expect([1, 2, 3].filter(sightings.has)).toEqual([2, 3])
})

test('scrolling past, or an unattended page, does not count as seen', () => {
  const sightings = createSeenTracker()
  for (let at = 0; at < 2_000; at += 50) sightings.update(at, [at])
  sightings.update(2_000, [1])
  sightings.update(2_200, [])
  sightings.update(2_400, [1])
  expect(sightings.has(1)).toBe(false)
  expect(sightings.has(500)).toBe(false)
})

test('reading advances to the last message before an unseen one', () => {
  const rows = rowsFrom(1, 9)
  expect(lastRead(rows, 3, [4, 5])).toBe(5)
  expect(lastRead(rows, 3, [5, 6])).toBe(3)
  expect(lastRead(rows, 3, [4, 5, 8, 9])).toBe(5)
  expect(lastRead(rows, 9, [])).toBe(9)
})

test('reading passes a whole run of people who joined', () => {
  const joined = { kind: 'system', system: { event: 'joined' } } as const
  const rows = rowsOf([
    createMessage(4),
    createMessage(5, joined),
    createMessage(6, joined),
    createMessage(7, joined),
  ])
  expect(lastRead(rows, 3, [4])).toBe(7)
})

test('own messages, system messages and deleted ones need not be seen', () => {
  const rows = rowsOf([
    createMessage(4),
    createMessage(5, { author_id: 'ann' }),
    createMessage(6, { kind: 'system', system: { event: 'joined' } }),
    createMessage(7, { deleted_at: 'then', reply_count: 1 }),
    createMessage(8),
  ])
  expect(lastRead(rows, 3, [4])).toBe(7)
  expect(lastRead(rows, 3, [4, 8])).toBe(8)
  // No unread message was seen: nothing to mark.
  expect(lastRead(rows, 4, [])).toBe(4)
})

const countAround = (rows: Row[], change: Partial<Parameters<typeof countUnreadAround>[0]>) =>
  countUnreadAround({
    rows,
    scope: 'channel',
    me: 'ann',
    readTo: 10,
    unread: 0,
    complete: true,
    hasAfter: false,
    top: 0,
    bottom: 0,
    ...change,
  })

test('unread messages above and below are counted where all are loaded', () => {
  const rows = rowsFrom(1, 30)
  expect(countAround(rows, { unread: 20, top: 15, bottom: 20 })).toEqual({ above: 4, below: 10 })
  expect(countAround(rows, { unread: 20, top: 1, bottom: 6 })).toEqual({ above: 0, below: 20 })
  expect(countAround(rows, { readTo: 30, top: 3, bottom: 9 })).toEqual({ above: 0, below: 0 })
})

test('messages beyond the loaded rows are the rest of the total', () => {
  const rows = rowsFrom(5, 20)
  expect(countAround(rows, { unread: 40, hasAfter: true, top: 9, bottom: 14 })).toEqual({
    above: 0,
    below: 36,
  })
  const late = rowsFrom(40, 50)
  expect(countAround(late, { unread: 40, complete: false, top: 45, bottom: 50 })).toEqual({
    above: 34,
    below: 0,
  })
})

test('where neither end is loaded, the number of unread messages above is limited by the seqs', () => {
  const rows = rowsFrom(21, 30)
  const seen = { unread: 60, complete: false, hasAfter: true, top: 21, bottom: 30 }
  expect(countAround(rows, seen)).toEqual({ above: 10, below: 40 })
})

test('a hundred or more stays a hundred', () => {
  const rows = rowsFrom(1, 30)
  expect(countAround(rows, { unread: 100, hasAfter: true, top: 1, bottom: 12 })).toEqual({
    above: 0,
    below: 100,
  })
})
