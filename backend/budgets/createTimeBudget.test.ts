import { expect, it } from 'vitest'
import { createTimeBudget } from './createTimeBudget.ts'

it('refills while a caller uses nothing, and ends a debt', () => {
  let time = 0
  const budget = createTimeBudget({ burstMs: 200, msPerSecond: 100 }, () => time)
  expect(budget.left('omar')).toBe(200)
  budget.use('omar', 150)
  budget.use('omar', 150)
  expect([budget.left('omar'), budget.left('ann')]).toEqual([-100, 200])
  time += 1_500
  expect(budget.left('omar')).toBe(50)
  time += 60_000
  expect(budget.left('omar')).toBe(200)
  budget.use('omar', 3_600_000)
  expect(budget.left('omar')).toBeLessThan(0)
  time += 31_000
  expect(budget.left('omar')).toBeGreaterThan(0)
})
