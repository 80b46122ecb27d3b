import { expect, test } from 'vitest'
import { charactersLeft } from './charactersLeft.ts'

const people = [{ id: '00000000-0000-4000-8000-00000000000a', name: 'Bo' }]

test('no count is shown far from the limit', () => {
  expect(charactersLeft('', people)).toBeNull()
  expect(charactersLeft('x'.repeat(18_999), people)).toBeNull()
  expect(charactersLeft('@Bo '.repeat(100), people)).toBeNull()
})

test('characters are counted as the database counts them', () => {
  expect(charactersLeft('x'.repeat(19_500), people)).toBe(500)
  expect(charactersLeft('x'.repeat(20_003), people)).toBe(-3)
  // An emoji beyond the basic multilingual plane is one character in PostgreSQL and two in JavaScript.
  expect(charactersLeft('🙂'.repeat(19_990), people)).toBe(10)
  // "@Bo" is stored as 39 characters; the last space is trimmed.
  expect(charactersLeft('@Bo '.repeat(500), people)).toBe(20_000 - (500 * 40 - 1))
})
