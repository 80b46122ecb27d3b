import { expect, test } from 'vitest'
import { nextGridIndex } from './gridNavigation.ts'

test('lines are walked up and down, and not beyond their ends', () => {
  expect(nextGridIndex('ArrowDown', 0, 3, 1, 1)).toBe(1)
  expect(nextGridIndex('ArrowDown', 2, 3, 1, 1)).toBe(2)
  expect(nextGridIndex('ArrowUp', 0, 3, 1, 1)).toBe(0)
  expect(nextGridIndex('End', 0, 3, 1, 1)).toBe(2)
  expect(nextGridIndex('Home', 2, 3, 1, 1)).toBe(0)
})

test('tiles are walked in two directions, and into a last row that is shorter', () => {
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

test('other keys are not taken from the page', () => {
  for (const key of ['a', 'Enter', ' ', 'Tab', 'Escape']) expect(nextGridIndex(key, 0, 3, 3, 1)).toBeNull()
  for (const key of ['ArrowRight', 'ArrowLeft']) expect(nextGridIndex(key, 0, 3, 1, 1)).toBeNull()
  expect(nextGridIndex('ArrowDown', 0, 0, 1, 1)).toBeNull()
})
