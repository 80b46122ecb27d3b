import { expect, it } from 'vitest'
import type { Relation } from '../../realtime/wal/pgoutput.ts'
import { commitTimestamp, toWalChange } from './walChange.ts'

function relation(identity: Relation['identity']): Relation {
  const columns = [
    { name: 'id', typeId: 23, isKey: true },
    { name: 'body', typeId: 25, isKey: identity === 'full' },
  ]
  return { id: 1, schema: 's', name: 't', identity, columns }
}
const committedAt = '2026-11-24T12:00:00.000Z'
const value = (text: string): Buffer => Buffer.from(text)

it('returns the time to the millisecond, rounded down', () => {
  expect(commitTimestamp(848_595_187_088_999n)).toBe('2026-11-21T16:53:07.088Z')
  expect(commitTimestamp(-1n)).toBe('1999-12-31T23:59:59.999Z')
})

it('does not reference the buffer that it was read from', () => {
  const buffer = value('hello')
  const change = toWalChange(
    { kind: 'insert', relation: relation('default'), row: [buffer, null] },
    committedAt,
  )
  buffer.fill(0)
  expect(change).toMatchObject({ event: 'INSERT', row: ['hello', null], old: null, bytes: 5 })
})

it('has only the key of the old row if an update did not change the key', () => {
  const row = [value('1'), value('b')]
  expect(
    toWalChange({ kind: 'update', relation: relation('default'), old: null, row }, committedAt).old,
  ).toEqual(['1', undefined])
})

it('treats NULL outside the key as missing, except with replica identity FULL', () => {
  const old = [value('1'), null]
  expect(toWalChange({ kind: 'delete', relation: relation('default'), old }, committedAt).old).toEqual([
    '1',
    undefined,
  ])
  expect(toWalChange({ kind: 'delete', relation: relation('full'), old }, committedAt).old).toEqual([
    '1',
    null,
  ])
})

it('takes an unchanged TOAST value from the old row with replica identity FULL', () => {
  const row = [value('1'), undefined]
  const update = (identity: 'default' | 'full', old: Buffer[] | null): unknown =>
    toWalChange({ kind: 'update', relation: relation(identity), old, row }, committedAt).row
  expect(update('full', [value('1'), value('long')])).toEqual(['1', 'long'])
  expect(update('default', null)).toEqual(['1', undefined])
})
