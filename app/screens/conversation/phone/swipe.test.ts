import { expect, test } from 'vitest'
import { beginSwipe, goesBack, moveSwipe, type Swipe } from './swipe.ts'

const begun = (x: number, direction: 1 | -1 = 1): Swipe => {
  const swipe = beginSwipe(x, 400, 390, direction, 0)
  if (!swipe) throw new Error('No swipe begins there.')
  return swipe
}

test('begins at the leading edge alone', () => {
  expect(beginSwipe(60, 400, 390, 1, 0)).toBeNull()
  expect(beginSwipe(385, 400, 390, 1, 0)).toBeNull()
  expect(beginSwipe(10, 400, 390, -1, 0)).toBeNull()
  expect(begun(385, -1).state).toBe('waiting')
})

test('far enough goes back, and back again at the edge does not', () => {
  const far = moveSwipe(moveSwipe(begun(10), 40, 402), 200, 410)
  expect([far.state, far.moved, goesBack(far, 2_000)]).toEqual(['swiping', 190, true])
  const cancelled = moveSwipe(far, 30, 410)
  expect(goesBack(cancelled, 2_500)).toBe(false)
})

test('a quick flick needs no distance', () => {
  expect(goesBack(moveSwipe(begun(10), 60, 400), 60)).toBe(true)
  expect(goesBack(moveSwipe(begun(10), 60, 400), 600)).toBe(false)
})

test('right to left it goes the other way', () => {
  expect(goesBack(moveSwipe(begun(385, -1), 180, 400), 2_000)).toBe(true)
  expect(moveSwipe(begun(385, -1), 389, 400).state).toBe('waiting')
})

test('what begins as a scroll stays one', () => {
  const scroll = moveSwipe(begun(10), 14, 430)
  expect(scroll.state).toBe('given up')
  expect(moveSwipe(scroll, 300, 430).state).toBe('given up')
})
