import { expect, test } from 'vitest'
import { charactersLeft } from './charactersLeft.ts'

test('no count is shown far from the limit', () => {
  expect(charactersLeft('')).toBeNull()
  expect(charactersLeft('x'.repeat(18_999))).toBeNull()
  expect(charactersLeft(`${'x'.repeat(18_000)}${' '.repeat(2_000)}`)).toBeNull()
})

test('characters are counted as the database counts them', () => {
  expect(charactersLeft('x'.repeat(19_500))).toBe(500)
  expect(charactersLeft('x'.repeat(20_003))).toBe(-3)
  // An emoji beyond the basic multilingual plane is one character in PostgreSQL and two in JavaScript.
  expect(charactersLeft('🙂'.repeat(19_990))).toBe(10)
  // The last space is trimmed.
  expect(charactersLeft('<@00000000-0000-4000-8000-00000000000a> '.repeat(500))).toBe(20_000 - (500 * 40 - 1))
})
