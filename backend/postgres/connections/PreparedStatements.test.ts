import { expect, it } from 'vitest'
import { PreparedStatements } from './PreparedStatements.ts'

const statement = (name: string, length: number): { name: string; text: string } => ({
  name,
  text: name.padEnd(length, ' '),
})

it('reuses a statement by name and text, and replaces it for another text', () => {
  const prepared = new PreparedStatements()
  const { entry, isNew } = prepared.use({ name: 'a', text: 'select 1' })
  expect([isNew, prepared.use({ name: 'a', text: 'select 1' })]).toEqual([true, { entry, isNew: false }])
  expect(prepared.use({ name: 'a', text: 'select 2' }).isNew).toBe(true)
  expect([prepared.takeUnused(), prepared.takeUnused()]).toEqual([[entry!.id], []])
})

it('evicts the least recently used statements above the limit', () => {
  const prepared = new PreparedStatements()
  const { entry } = prepared.use(statement('first', 10))
  const second = prepared.use(statement('second', 10)).entry
  for (let n = 0; n < 255; n++) {
    prepared.use(statement('first', 10))
    prepared.use(statement(`another ${n}`, 20))
  }
  expect(prepared.takeUnused()).toEqual([second!.id])
  expect(prepared.use(statement('first', 10))).toEqual({ entry, isNew: false })
})

it('limits the total text length, and stores no statement that is too long', () => {
  const prepared = new PreparedStatements()
  const kept = Array.from({ length: 40 }, (_, n) => prepared.use(statement(`wide ${n}`, 10_000)).entry!.id)
  expect(prepared.takeUnused()).toEqual(kept.slice(0, 14))
  expect(prepared.use(statement('too wide', 100_000))).toEqual({ entry: undefined, isNew: false })
  prepared.dropAll()
  expect(prepared.takeUnused()).toEqual(kept.slice(14))
  for (let n = 0; n < 26; n++) prepared.use(statement(`after ${n}`, 10_000))
  expect(prepared.takeUnused()).toEqual([])
})
