import { expect, it } from 'vitest'
import { matchesPattern } from './tablePattern.ts'

it.each([
  ['rooms', '*', true],
  ['rooms', 'rooms', true],
  ['rooms', 'room', false],
  ['a_b', 'a_b', true],
  ['axb', 'a_b', false],
  ['room_1', 'room%', true],
  ['room_1', '%_1', true],
  ['room_1', 'r%m%1', true],
  ['room_1', 'r%1%m%', false],
  ['aa', 'a%a', true],
  ['a', 'a%a', false],
  ['anything', '%', true],
  ['100%', '100%', true],
])('%s matches %s: %s', (name, pattern, fits) => {
  expect(matchesPattern(name, pattern)).toBe(fits)
})
