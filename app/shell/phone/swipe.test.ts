import { expect, test } from 'vitest'
import { beginSwipe, beginSwipeDown, completesSwipe, moveSwipe, type Swipe } from './swipe.ts'

const begun = (x: number, direction: 1 | -1 = 1): Swipe => {
  const swipe = beginSwipe(x, 400, 390, direction, 0)
  if (!swipe) throw new Error('No swipe begins there.')
  return swipe
}

test('a swipe begins at the leading edge only', () => {
  expect(beginSwipe(60, 400, 390, 1, 0)).toBeNull()
  expect(beginSwipe(385, 400, 390, 1, 0)).toBeNull()
  expect(beginSwipe(10, 400, 390, -1, 0)).toBeNull()
  expect(begun(385, -1).state).toBe('waiting')
})

test('a long swipe goes back, unless it returns to the edge', () => {
  const far = moveSwipe(moveSwipe(begun(10), 40, 402), 200, 410)
  expect([far.state, far.moved, completesSwipe(far, 2_000)]).toEqual(['swiping', 190, true])
  const cancelled = moveSwipe(far, 30, 410)
  expect(completesSwipe(cancelled, 2_500)).toBe(false)
})

test('a fast flick needs no distance', () => {
  expect(completesSwipe(moveSwipe(begun(10), 60, 400), 60)).toBe(true)
  expect(completesSwipe(moveSwipe(begun(10), 60, 400), 600)).toBe(false)
})

test('in right-to-left layouts the direction is mirrored', () => {
  expect(completesSwipe(moveSwipe(begun(385, -1), 180, 400), 2_000)).toBe(true)
  expect(moveSwipe(begun(385, -1), 389, 400).state).toBe('waiting')
})

test('a gesture that begins as a scroll stays a scroll', () => {
  const scroll = moveSwipe(begun(10), 14, 430)
  expect(scroll.state).toBe('given up')
  expect(moveSwipe(scroll, 300, 430).state).toBe('given up')
})

test('a swipe down moves a sheet, and one to the side or up does not', () => {
  const down = beginSwipeDown(200, 500, 400, 0)
  expect(completesSwipe(moveSwipe(down, 700, 210), 2_000)).toBe(true)
  expect(completesSwipe(moveSwipe(down, 520, 210), 2_000)).toBe(false)
  expect(moveSwipe(down, 504, 260).state).toBe('given up')
  expect(moveSwipe(down, 480, 200).state).toBe('given up')
})
