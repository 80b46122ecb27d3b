import { expect, test } from 'vitest'
import { dropPlace, dropSection, type Drawn } from './dropPlace.ts'

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ top: from + index * 28, bottom: from + (index + 1) * 28 }))

const part = (key: string, top: number, count: number, change: Partial<Drawn> = {}): Drawn => ({
  key,
  top,
  head: top + 28,
  bottom: top + 28 + count * 28,
  rows: rows(top + 28, count),
  count,
  byHand: true,
  allowed: true,
  ...change,
})

const parts = [
  part('s1', 0, 2),
  part('s2', 84, 0),
  part('channels', 112, 3, { byHand: false }),
  part('people', 224, 2, { byHand: false, allowed: false }),
]

test('before the row whose middle lies below the pointer', () => {
  expect(dropPlace(parts, 10)).toEqual({ key: 's1', index: 0, line: 28 })
  expect(dropPlace(parts, 50)).toEqual({ key: 's1', index: 1, line: 56 })
  expect(dropPlace(parts, 83)).toEqual({ key: 's1', index: 2, line: 84 })
})

test('an empty section takes it below its heading', () => {
  expect(dropPlace(parts, 100)).toEqual({ key: 's2', index: 0, line: 112 })
})

test('a part with an order of its own is marked whole', () => {
  expect(dropPlace(parts, 150)).toEqual({ key: 'channels', index: 3, line: null })
})

test('where it may not stand it lands nowhere', () => {
  expect(dropPlace(parts, 260)).toBeNull()
  expect(dropPlace(parts, 900)).toBeNull()
  expect(dropPlace([], 1)).toBeNull()
})

test('a folded section takes it at its end', () => {
  expect(dropPlace([part('s1', 0, 0, { count: 7 })], 5)).toEqual({ key: 's1', index: 7, line: null })
})

test('a section lands among the others by their middles', () => {
  const others = [part('a', 0, 1), part('b', 56, 1)]
  expect(dropSection(others, 5)).toEqual({ index: 0, line: 0 })
  expect(dropSection(others, 60)).toEqual({ index: 1, line: 56 })
  expect(dropSection(others, 500)).toEqual({ index: 2, line: 112 })
})
