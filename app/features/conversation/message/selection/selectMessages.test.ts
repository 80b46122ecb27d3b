import { expect, test } from 'vitest'
import type { Message } from '../../../../../wire/messages.ts'
import { buildMessage } from '../../../../data/store/buildRows.fixture.ts'
import { timelineRows } from '../timelineRows.ts'
import { extendRange, inListOrder, MAX_SELECTED, toggleMessage, withoutDeleted } from './selectMessages.ts'
import type { MessageSelection } from './SelectionContext.ts'

const messages = Array.from({ length: 120 }, (_, index) =>
  buildMessage(index + 1, index === 3 ? { kind: 'system' } : {}),
)
const at = (seq: number): Message => messages[seq - 1]!
const rows = timelineRows(
  messages.map((message) => ({ kind: 'message', id: message.id, message })),
  { me: 'nobody', scope: 'channel', firstUnread: null, hidden: new Set() },
)
const seqs = (selection: MessageSelection | null) =>
  selection ? inListOrder(selection, 'channel').map(({ seq }) => seq) : null
const extend = (selection: MessageSelection | null, start: number, end: number) =>
  extendRange(selection, at(start), at(end), rows, 'channel')

test('a message is selected and deselected, and without any the selection ends', () => {
  const one = toggleMessage(null, at(1))
  const two = toggleMessage(one, at(3))
  expect(seqs(two)).toEqual([1, 3])
  expect(seqs(toggleMessage(two, at(1)))).toEqual([3])
  expect(toggleMessage(one, at(1))).toBeNull()
})

test('a range has the messages between its ends in either direction, without system messages', () => {
  expect(seqs(extend(toggleMessage(null, at(2)), 2, 6))).toEqual([2, 3, 5, 6])
  expect(seqs(extend(toggleMessage(null, at(6)), 6, 2))).toEqual([2, 3, 5, 6])
})

test('another end replaces the range, and keeps what was selected by itself', () => {
  const alone = toggleMessage(toggleMessage(null, at(9)), at(5))
  const range = extend(alone, 5, 10)
  expect(seqs(range)).toEqual([5, 6, 7, 8, 9, 10])
  expect(seqs(extend(range, 10, 6))).toEqual([5, 6, 9])
})

test('a range without a selection begins at the row it was started on', () => {
  expect(seqs(extend(null, 7, 8))).toEqual([7, 8])
})

test('a range includes the first message of a thread, which is not among the rows', () => {
  const root = buildMessage(1)
  const replies = [1, 2].map((thread_seq) =>
    buildMessage(10 + thread_seq, { thread_root: root.id, thread_seq, seq: null }),
  )
  const list = timelineRows(
    replies.map((message) => ({ kind: 'message', id: message.id, message })),
    { me: 'nobody', scope: 'thread', firstUnread: null, hidden: new Set() },
  )
  const selection = extendRange(toggleMessage(null, root), root, replies[1]!, list, 'thread')
  expect(inListOrder(selection, 'thread')).toEqual([root, ...replies])
})

test('the limit refuses another message, and a range ends where it is reached', () => {
  const full = extend(toggleMessage(null, at(120)), 120, 1)
  expect(full.messages.size).toBe(MAX_SELECTED)
  expect(seqs(full)?.at(-1)).toBe(120)
  expect(toggleMessage(full, at(1))).toBe(full)
  expect(toggleMessage(full, at(120))?.messages.size).toBe(MAX_SELECTED - 1)
})

test('deleted messages leave the selection, also while their deletion can be undone', () => {
  const selection = extend(toggleMessage(null, at(1)), 1, 3)
  const loaded = new Map([[at(1).id, { ...at(1), deleted_at: '2026-11-23T09:00:00Z' }]])
  expect(withoutDeleted(selection, new Map(), new Set())).toBe(selection)
  expect(seqs(withoutDeleted(selection, loaded, new Set()))).toEqual([2, 3])
  expect(seqs(withoutDeleted(selection, loaded, new Set([at(2).id])))).toEqual([3])
  const all = new Set(selection.messages.keys())
  expect(withoutDeleted(selection, loaded, all)).toBeNull()
})
