import { expect, test } from 'vitest'
import { nextStep } from './nextStep.ts'
import type { Row } from '../timelineRows.ts'

const rows = (ids: string) => [...ids].map((id) => ({ id }) as Row)
const step = (shown: string, given: string) => {
  const next = nextStep(rows(shown), rows(given))
  return [next.rows.map((row) => row.id).join(''), next.shift, next.anew]
}

test('older words above keep the place from the end', () => {
  expect(step('cd', 'abcd')).toEqual(['abcd', true, false])
  expect(step('abcd', 'cd')).toEqual(['cd', true, false])
})

test('words at the end, or none, are a change below', () => {
  expect(step('ab', 'abc')).toEqual(['abc', false, false])
  expect(step('ab', 'ab')).toEqual(['ab', false, false])
  expect(step('abc', 'ac')).toEqual(['ac', false, false])
})

// One change in which as many came above as went below looks to the virtualiser like none at all.
test('a change at both ends is taken in two steps, the upper one first', () => {
  expect(step('cdef', 'abcd')).toEqual(['abcdef', true, false])
  expect(step('abcdef', 'abcd')).toEqual(['abcd', false, false])
  expect(step('abcd', 'cdef')).toEqual(['cd', true, false])
  expect(step('cd', 'cdef')).toEqual(['cdef', false, false])
})

test('the first message is removed, and the place stays', () => {
  expect(step('abc', 'bc')).toEqual(['bc', true, false])
  expect(step('xbc', 'abc')).toEqual(['abc', true, false])
})

test('another stretch of the conversation starts anew', () => {
  expect(step('ab', 'xy')).toEqual(['xy', false, true])
  expect(step('', 'ab')).toEqual(['ab', false, true])
  expect(step('', '')).toEqual(['', false, false])
})

test('a step that ends with what is given is what is given, by identity', () => {
  const given = rows('abc')
  expect(nextStep(rows('c'), given).rows).toBe(given)
  expect(nextStep(rows('abc'), given).rows).toBe(given)
})
