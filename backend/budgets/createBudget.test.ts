import { expect, it } from 'vitest'
import { createBudget, serverCallerKey } from './createBudget.ts'

/** How many a caller gets, taking one after the other until it is refused. */
function takeAll(budget: ReturnType<typeof createBudget>, caller: string): number {
  let taken = 0
  while (budget.take(caller)) taken++
  return taken
}

it('leaves as much free as a caller holds, and something for each that comes after', () => {
  const budget = createBudget({ capacity: 16 })
  expect(['ann', 'bea', 'gus', 'omar', 'eve', 'zoe'].map((caller) => takeAll(budget, caller))).toEqual([
    8, 4, 2, 1, 1, 0,
  ])
  expect(budget.stats()).toEqual({ capacity: 16, used: 16, refused: 6 })
})

it('leaves a part to others of what one that is alone may have', () => {
  const budget = createBudget({ capacity: 16, soleCallerFactor: 3 })
  expect(['omar', 'ann', 'bea', 'gus', 'eve'].map((caller) => takeAll(budget, caller))).toEqual([
    12, 2, 1, 1, 0,
  ])
  for (let n = 0; n < 5; n++) budget.release('omar')
  expect([budget.take('omar'), budget.take('ann')]).toEqual([false, true])
})

it('gives what was returned to those that have less', () => {
  const budget = createBudget({ capacity: 4 })
  expect([takeAll(budget, 'omar'), takeAll(budget, 'ann'), takeAll(budget, 'bea')]).toEqual([2, 1, 1])
  budget.release('ann')
  expect([budget.has('omar'), budget.take('ann')]).toEqual([false, true])
  for (const caller of ['ann', 'bea', 'omar', 'omar']) budget.release(caller)
  expect([budget.stats().used, budget.takenBy('omar'), takeAll(budget, 'gus')]).toEqual([0, 0, 2])
})

it('counts amounts, and lets a caller without any take a small one of the last', () => {
  const budget = createBudget({ capacity: 1_000, minimum: 10 })
  expect([budget.take('omar', 501), budget.take('omar', 500)]).toEqual([false, true])
  expect([budget.take('bea', 251), budget.take('bea', 250), budget.take('omar', 1)]).toEqual([
    false,
    true,
    false,
  ])
  budget.force('omar', 240)
  expect([budget.take('ann', 11), budget.take('ann', 10), budget.take('gus', 10)]).toEqual([
    false,
    true,
    false,
  ])
})

it('bounds each caller by a number of its own, and the server itself by the capacity alone', () => {
  const budget = createBudget({ capacity: 100, maxPerCaller: 3 })
  expect(takeAll(budget, 'omar')).toBe(3)
  expect(takeAll(budget, serverCallerKey)).toBe(97)
})
