import { expect, test } from 'vitest'
import { nextGridIndex } from './gridNavigation.ts'

test('in rows, arrow keys move up and down, not beyond the ends', () => {
  expect(nextGridIndex('ArrowDown', 0, 3, 1, 1)).toBe(1)
  expect(nextGridIndex('ArrowDown', 2, 3, 1, 1)).toBe(2)
  expect(nextGridIndex('ArrowUp', 0, 3, 1, 1)).toBe(0)
  expect(nextGridIndex('End', 0, 3, 1, 1)).toBe(2)
  expect(nextGridIndex('Home', 2, 3, 1, 1)).toBe(0)
})

test('in tiles, arrow keys move in both directions, also into a shorter last row', () => {
  // 0 1 2
  // 3 4
  expect(nextGridIndex('ArrowRight', 0, 5, 3, 1)).toBe(1)
  expect(nextGridIndex('ArrowRight', 1, 5, 3, -1)).toBe(0)
  expect(nextGridIndex('ArrowLeft', 0, 5, 3, 1)).toBe(0)
  expect(nextGridIndex('ArrowDown', 1, 5, 3, 1)).toBe(4)
  expect(nextGridIndex('ArrowDown', 2, 5, 3, 1)).toBe(4)
  expect(nextGridIndex('ArrowDown', 3, 5, 3, 1)).toBe(3)
  expect(nextGridIndex('ArrowUp', 4, 5, 3, 1)).toBe(1)
})

test('other keys are not handled', () => {
  for (const key of ['a', 'Enter', ' ', 'Tab', 'Escape']) expect(nextGridIndex(key, 0, 3, 3, 1)).toBeNull()
  for (const key of ['ArrowRight', 'ArrowLeft']) expect(nextGridIndex(key, 0, 3, 1, 1)).toBeNull()
  expect(nextGridIndex('ArrowDown', 0, 0, 1, 1)).toBeNull()
})
