import { expect, test } from 'vitest'
import { changeOf } from './changeOf.ts'
import type { Row } from './timelineRows.ts'

const rows = (ids: string) => [...ids].map((id) => ({ id }) as Row)

test('older words above keep the place from the end', () => {
  expect(changeOf(rows('cd'), rows('abcd'))).toBe('above')
  expect(changeOf(rows('abcd'), rows('cd'))).toBe('above')
})

test('words at the end, or none, are a change below', () => {
  expect(changeOf(rows('ab'), rows('abc'))).toBe('below')
  expect(changeOf(rows('ab'), rows('ab'))).toBe('below')
})

test('another stretch of the conversation starts anew', () => {
  expect(changeOf(rows('ab'), rows('xy'))).toBe('other')
  expect(changeOf([], rows('ab'))).toBe('other')
  expect(changeOf([], [])).toBe('below')
})
