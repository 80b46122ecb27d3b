import { expect, test } from 'vitest'
import { walk } from './walk.ts'

test('lines are walked up and down, and not beyond their ends', () => {
  expect(walk('ArrowDown', 0, 3, 1, 1)).toBe(1)
  expect(walk('ArrowDown', 2, 3, 1, 1)).toBe(2)
  expect(walk('ArrowUp', 0, 3, 1, 1)).toBe(0)
  expect(walk('End', 0, 3, 1, 1)).toBe(2)
  expect(walk('Home', 2, 3, 1, 1)).toBe(0)
})

test('tiles are walked in two directions, and into a last row that is shorter', () => {
  // 0 1 2
  // 3 4
  expect(walk('ArrowRight', 0, 5, 3, 1)).toBe(1)
  expect(walk('ArrowRight', 1, 5, 3, -1)).toBe(0)
  expect(walk('ArrowLeft', 0, 5, 3, 1)).toBe(0)
  expect(walk('ArrowDown', 1, 5, 3, 1)).toBe(4)
  expect(walk('ArrowDown', 2, 5, 3, 1)).toBe(4)
  expect(walk('ArrowDown', 3, 5, 3, 1)).toBe(3)
  expect(walk('ArrowUp', 4, 5, 3, 1)).toBe(1)
})

test('other keys are not taken from the page', () => {
  for (const key of ['a', 'Enter', ' ', 'Tab', 'Escape']) expect(walk(key, 0, 3, 3, 1)).toBeNull()
  for (const key of ['ArrowRight', 'ArrowLeft']) expect(walk(key, 0, 3, 1, 1)).toBeNull()
  expect(walk('ArrowDown', 0, 0, 1, 1)).toBeNull()
})
