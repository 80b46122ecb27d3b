import { expect, test } from 'vitest'
import type { Row } from '../../features/conversation/message/timelineRows.ts'
import { lastOwnRow } from './lastOwnRow.ts'

const row = (id: string, author_id: string, change: object = {}): Row =>
  ({
    id,
    item: { kind: 'message', id, message: { kind: 'text', author_id, deleted_at: null, ...change } },
  }) as Row
const pending = { id: 'p', item: { kind: 'pending', id: 'p' } } as Row

test('the last own text that is not deleted is edited', () => {
  const rows = [row('1', 'me'), row('2', 'me'), row('3', 'other'), row('4', 'me', { deleted_at: 'now' })]
  expect(lastOwnRow(rows, 'me')).toBe('2')
  expect(lastOwnRow([row('1', 'me', { kind: 'system' })], 'me')).toBeNull()
})

test('while the last message is being sent, no earlier one is edited', () => {
  expect(lastOwnRow([row('1', 'me'), pending], 'me')).toBeNull()
  expect(lastOwnRow([row('1', 'me'), pending, row('2', 'me')], 'me')).toBe('2')
})
