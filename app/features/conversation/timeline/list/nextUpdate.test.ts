import { expect, test } from 'vitest'
import { nextUpdate } from './nextUpdate.ts'
import type { Row } from '../../message/timelineRows.ts'

const rows = (ids: string) => [...ids].map((id) => ({ id }) as Row)
const update = (shown: string, given: string, isShifting = false) => {
  const next = nextUpdate(rows(shown), rows(given), isShifting)
  return [next.rows.map((row) => row.id).join(''), next.shift, next.isReplaced]
}

test('older messages above keep the position from the end', () => {
  expect(update('cd', 'abcd')).toEqual(['abcd', true, false])
  expect(update('abcd', 'cd')).toEqual(['cd', true, false])
})

test('messages at the end, or none, are a change below', () => {
  expect(update('ab', 'abc')).toEqual(['abc', false, false])
  expect(update('ab', 'ab')).toEqual(['ab', false, false])
  expect(update('abc', 'ac')).toEqual(['ac', false, false])
})

// A single change that adds as many rows above as it removes below looks like none to the virtualizer.
test('a change at both ends takes two steps, the upper one first', () => {
  expect(update('cdef', 'abcd')).toEqual(['abcdef', true, false])
  expect(update('abcdef', 'abcd')).toEqual(['abcd', false, false])
  expect(update('abcd', 'cdef')).toEqual(['cd', true, false])
  expect(update('cd', 'cdef')).toEqual(['cdef', false, false])
})

test('rows below are added and removed once a change above is over', () => {
  expect(update('cd', 'cdef', true)).toEqual(['cd', true, false])
  expect(update('cd', 'abcdef', true)).toEqual(['abcd', true, false])
  expect(update('cdef', 'cd', true)).toEqual(['cdef', true, false])
  expect(update('cd', 'xy', true)).toEqual(['xy', false, true])
})

test('removing the first message keeps the position', () => {
  expect(update('abc', 'bc')).toEqual(['bc', true, false])
  expect(update('xbc', 'abc')).toEqual(['abc', true, false])
})

test('another window of the conversation replaces the list', () => {
  expect(update('ab', 'xy')).toEqual(['xy', false, true])
  expect(update('', 'ab')).toEqual(['ab', false, true])
  expect(update('', '')).toEqual(['', false, false])
})

test('the last step returns the given array itself', () => {
  const given = rows('abc')
  expect(nextUpdate(rows('c'), given).rows).toBe(given)
  expect(nextUpdate(rows('abc'), given).rows).toBe(given)
})
