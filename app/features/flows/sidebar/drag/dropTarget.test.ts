import { expect, test } from 'vitest'
import { dropTargetAt, sectionTargetAt, type GroupLayout } from './dropTarget.ts'

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ top: from + index * 28, bottom: from + (index + 1) * 28 }))

const layout = (key: string, top: number, count: number, change: Partial<GroupLayout> = {}): GroupLayout => ({
  key,
  top,
  head: top + 28,
  bottom: top + 28 + count * 28,
  rows: rows(top + 28, count),
  count,
  isManuallyOrdered: true,
  isAllowed: true,
  ...change,
})

const layouts = [
  layout('s1', 0, 2),
  layout('s2', 84, 0),
  layout('channels', 112, 3, { isManuallyOrdered: false }),
  layout('people', 224, 2, { isManuallyOrdered: false, isAllowed: false }),
]

test('the row is dropped before the first row whose middle is below the pointer', () => {
  expect(dropTargetAt(layouts, 10)).toEqual({ key: 's1', index: 0, line: 28 })
  expect(dropTargetAt(layouts, 50)).toEqual({ key: 's1', index: 1, line: 56 })
  expect(dropTargetAt(layouts, 83)).toEqual({ key: 's1', index: 2, line: 84 })
})

test('an empty section accepts a row below its header', () => {
  expect(dropTargetAt(layouts, 100)).toEqual({ key: 's2', index: 0, line: 112 })
})

test('a group with a fixed order is marked as a whole', () => {
  expect(dropTargetAt(layouts, 150)).toEqual({ key: 'channels', index: 3, line: null })
})

test("a group that can't contain the row is no target", () => {
  expect(dropTargetAt(layouts, 260)).toBeNull()
  expect(dropTargetAt(layouts, 900)).toBeNull()
  expect(dropTargetAt([], 1)).toBeNull()
})

test('a collapsed section accepts the row at its end', () => {
  expect(dropTargetAt([layout('s1', 0, 0, { count: 7 })], 5)).toEqual({ key: 's1', index: 7, line: null })
})

test('a section is dropped among the others by their middles', () => {
  const others = [layout('a', 0, 1), layout('b', 56, 1)]
  expect(sectionTargetAt(others, 5)).toEqual({ index: 0, line: 0 })
  expect(sectionTargetAt(others, 60)).toEqual({ index: 1, line: 56 })
  expect(sectionTargetAt(others, 500)).toEqual({ index: 2, line: 112 })
})
