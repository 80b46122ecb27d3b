import { expect, it } from 'vitest'
import { createPgoutputReader, type PgoutputMessage, type WalValue, type Relation } from './pgoutput.ts'

/** Written by PostgreSQL 18: a transaction on a table with a TOAST value, and one on a table with replica identity FULL. */
const notes = {
  begin: '42000000000178bc18000303c7e90abcc2000002f3',
  relation:
    '520000400673006e6f746573006400040169640000000017ffffffff00626f64790000000019ffffffff006269670000000019ffffffff00666c61670000000010ffffffff',
  insert: `49000040064e00047400000001317400000002c3a97400000bb8${'78'.repeat(3000)}6e`,
  commit: '4300000000000178bc18000000000178bc48000303c7e90abcc2',
  update: '55000040064e0004740000000131740000000162756e',
  updateOfKey: '55000040064b00047400000001316e6e6e4e0004740000000132740000000162756e',
  delete: '44000040064b00047400000001326e6e6e',
}
const whole = {
  relation: '520000400e730077686f6c65006600020169640000000017ffffffff01626f64790000000019ffffffff',
  update: '550000400e4f00027400000001317400000001614e0002740000000131740000000162',
  delete: '440000400e4f0002740000000131740000000162',
  truncate: '5400000001000000400e',
}

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex')
const texts = (row: WalValue[] | null): unknown =>
  row === null ? null : row.map((value) => (value ? value.toString() : value))

function read(...messages: string[]): PgoutputMessage | null {
  const reader = createPgoutputReader()
  let last: PgoutputMessage | null = null
  for (const message of messages) last = reader(bytes(message))
  return last
}

it('reads the commit time of a transaction', () => {
  expect(read(notes.begin)).toEqual({ kind: 'begin', committedAt: 848_582_073_302_210n })
  expect(read(notes.commit)).toEqual({ kind: 'commit' })
})

it('reads tables', () => {
  const column = (name: string, typeId: number, isKey = false): object => ({ name, typeId, isKey })
  expect(read(notes.relation)).toEqual({
    kind: 'relation',
    relation: {
      id: 16_390,
      schema: 's',
      name: 'notes',
      identity: 'default',
      columns: [column('id', 23, true), column('body', 25), column('big', 25), column('flag', 16)],
    },
  })
  expect((read(whole.relation) as { relation: Relation }).relation.identity).toBe('full')
})

it('reads rows: values, NULL, and missing values', () => {
  const insert = read(notes.relation, notes.insert) as PgoutputMessage & { kind: 'insert' }
  expect(texts(insert.row)).toEqual(['1', 'é', 'x'.repeat(3000), null])
  const update = read(notes.relation, notes.update) as PgoutputMessage & { kind: 'update' }
  expect([texts(update.old), texts(update.row)]).toEqual([null, ['1', 'b', undefined, null]])
})

it('reads old rows by replica identity', () => {
  const moved = read(notes.relation, notes.updateOfKey) as PgoutputMessage & { kind: 'update' }
  expect([texts(moved.old), texts(moved.row)]).toEqual([
    ['1', null, null, null],
    ['2', 'b', undefined, null],
  ])
  const gone = read(notes.relation, notes.delete) as PgoutputMessage & { kind: 'delete' }
  expect(texts(gone.old)).toEqual(['2', null, null, null])
  const changed = read(whole.relation, whole.update) as PgoutputMessage & { kind: 'update' }
  expect([texts(changed.old), texts(changed.row)]).toEqual([
    ['1', 'a'],
    ['1', 'b'],
  ])
  expect(texts((read(whole.relation, whole.delete) as PgoutputMessage & { kind: 'delete' }).old)).toEqual([
    '1',
    'b',
  ])
})

it('ignores messages without rows, and refuses rows of a table that was not announced', () => {
  expect(read(whole.relation, whole.truncate)).toBeNull()
  expect(() => read(notes.insert)).toThrow(/not announced/)
})
