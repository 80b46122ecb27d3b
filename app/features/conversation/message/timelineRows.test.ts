import { expect, test } from 'vitest'
import type { Message } from '../../../../wire/messages.ts'
import type { TimelineItem } from '../../../data/messages/timeline.ts'
import { timelineRows } from './timelineRows.ts'

const base = new Date(2025, 10, 12, 9, 0).getTime()

function createItem(seq: number, change: Partial<Message> & { minute?: number } = {}): TimelineItem {
  const { minute = seq, ...rest } = change
  const message = {
    id: `m${seq}`,
    seq,
    kind: 'text',
    author_id: 'bea',
    created_at: new Date(base + minute * 60_000).toISOString(),
    deleted_at: null,
    reply_count: 0,
    ...rest,
  } as Message
  return { kind: 'message', id: message.id, message }
}

const none = { me: 'ann', scope: 'channel' as const, firstUnread: null, hidden: new Set<string>() }

test('messages of one author share a header until five minutes pass or someone else writes', () => {
  const rows = timelineRows(
    [
      createItem(1),
      createItem(2),
      createItem(3, { minute: 9 }),
      createItem(4, { minute: 10, author_id: 'noor' }),
    ],
    none,
  )
  expect(rows.map((row) => row.isFirstOfRun)).toEqual([true, false, true, true])
})

test('messages of two services that one bot posts have a header each', () => {
  const from = (seq: number, name: string) =>
    createItem(seq, { extras: { sender: { name, end: name.length + 1 } } })
  const rows = timelineRows([createItem(1), from(2, 'Grafana'), from(3, 'Grafana'), from(4, 'GitLab')], none)
  expect(rows.map((row) => row.isFirstOfRun)).toEqual([true, true, false, true])
})

test('messages with another emoji as their picture have a header each', () => {
  const from = (seq: number, icon: string) => createItem(seq, { extras: { icon } })
  const rows = timelineRows([createItem(1), from(2, '🚨'), from(3, '🚨'), from(4, '📈')], none)
  expect(rows.map((row) => row.isFirstOfRun)).toEqual([true, true, false, true])
})

test('a day has one divider, above its first message', () => {
  const rows = timelineRows([createItem(1), createItem(2), createItem(3, { minute: 24 * 60 })], none)
  expect(rows.map((row) => row.day !== null)).toEqual([true, false, true])
  expect(rows[2]?.isFirstOfRun).toBe(true)
})

test('the "new" line appears once, above the first unread message that is not deleted', () => {
  const rows = timelineRows(
    [createItem(1), createItem(2, { deleted_at: 'then' }), createItem(3), createItem(4)],
    {
      ...none,
      firstUnread: 2,
    },
  )
  expect(rows.map((row) => [row.id, row.isNew])).toEqual([
    ['m1', false],
    ['m3', true],
    ['m4', false],
  ])
})

// Written on another device, and the read marker has not passed it here yet: still not new to its author.
test('the "new" line skips the reader’s own messages', () => {
  const rows = timelineRows([createItem(1), createItem(2, { author_id: 'ann' }), createItem(3)], {
    ...none,
    firstUnread: 2,
  })
  expect(rows.map((row) => row.isNew)).toEqual([false, false, true])
})

test('a deleted message with replies is still listed', () => {
  const gone = createItem(1, { deleted_at: 'then' })
  const kept = createItem(2, { deleted_at: 'then', reply_count: 2 })
  expect(timelineRows([gone, kept], none).map((row) => row.id)).toEqual(['m2'])
})

test('a message that is being deleted is hidden, and the next one gets its header', () => {
  const rows = timelineRows([createItem(1), createItem(2)], { ...none, hidden: new Set(['m1']) })
  expect(rows).toMatchObject([{ id: 'm2', isFirstOfRun: true }])
})

test('system messages form a run only with each other', () => {
  const system = { kind: 'system' } as const
  const rows = timelineRows(
    [createItem(1), createItem(2, system), createItem(3, { ...system, author_id: 'noor' }), createItem(4)],
    none,
  )
  expect(rows.map((row) => row.isFirstOfRun)).toEqual([true, true, false, true])
})

test('the day of the element above gets no second divider', () => {
  const after = new Date(base).toISOString()
  expect(timelineRows([createItem(1)], { ...none, after })).toMatchObject([{ day: null, isFirstOfRun: true }])
})

test('three or more people who joined or left in a row are one row, until the day or the "new" line', () => {
  const joined = { kind: 'system', system: { event: 'joined' } } as const
  const left = { kind: 'system', system: { event: 'left' } } as const
  const items = [
    createItem(1, joined),
    createItem(2, joined),
    createItem(3),
    createItem(4, joined),
    createItem(5, left),
    createItem(6, joined),
    createItem(7, { kind: 'system', system: { event: 'topic', topic: 'Rain' } }),
    createItem(8, joined),
    createItem(9, joined),
    createItem(10, joined),
  ]
  const shape = (firstUnread: number | null) =>
    timelineRows(items, { ...none, firstUnread }).map((row) => [row.id, row.run?.length ?? 1])
  expect(shape(null)).toEqual([
    ['m1', 1],
    ['m2', 1],
    ['m3', 1],
    ['m4', 3],
    ['m7', 1],
    ['m8', 3],
  ])
  expect(shape(9).slice(-3)).toEqual([
    ['m8', 1],
    ['m9', 1],
    ['m10', 1],
  ])
})

test('of a moved thread the first message stays in the channel, and its replies do not', () => {
  const moved = {
    deleted_at: 'then',
    extras: { moved_to: { message_id: 'copy', by: 'ann' } },
    thread_root: null,
  }
  const items = [createItem(1), createItem(2, moved), createItem(3, { ...moved, thread_root: 'm2' })]
  expect(timelineRows(items, none).map((row) => row.id)).toEqual(['m1', 'm2'])
})

test('a moved message has the day of its move in a channel, and the day on which it was written in its thread', () => {
  const moved = { extras: { moved: { written_at: new Date(base - 24 * 60 * 60_000).toISOString() } } }
  const items = [createItem(1), createItem(2, moved), createItem(3)]
  const days = (scope: 'channel' | 'thread') =>
    timelineRows(items, { ...none, scope }).map((row) => [row.day !== null, row.isFirstOfRun])
  // Its own header in both: it was not written within the minutes of the others.
  expect(days('channel')).toEqual([
    [true, true],
    [false, true],
    [false, true],
  ])
  expect(days('thread')).toEqual([
    [true, true],
    [true, true],
    [true, true],
  ])
})
