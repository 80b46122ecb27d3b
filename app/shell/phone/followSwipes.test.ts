// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { followSwipes } from './followSwipes.ts'
import { beginSwipeDown } from './swipe.ts'

const touch = (type: string, ...positions: number[]) =>
  dispatchEvent(
    Object.assign(new Event(type), { touches: positions.map((y) => ({ clientX: 200, clientY: y })) }),
  )

test('a second finger puts back what a swipe has moved', () => {
  const shown: number[] = []
  const end = followSwipes(({ clientX, clientY }, { timeStamp }) => ({
    swipe: beginSwipeDown(clientX, clientY, 400, timeStamp),
    positionOf: (moved) => [moved.clientY, moved.clientX],
    show: (moved) => shown.push(moved),
    complete: () => shown.push(Number.NaN),
  }))
  touch('touchstart', 100)
  touch('touchmove', 350)
  touch('touchstart', 350, 500)
  touch('touchmove', 360, 500)
  touch('touchend')
  expect(shown).toEqual([250, 0])
  end()
})
