import { expect, it } from 'vitest'
import { PlanCache } from './PlanCache.ts'
import type { PreparedPlan } from './PlanCache.ts'

const planOf = (text: string): PreparedPlan =>
  ({ sql: { main: { text, binds: [] } }, uses: 0, names: new Map() }) as unknown as PreparedPlan

const cachedShapes = (plans: PlanCache, shapes: number): number[] =>
  Array.from({ length: shapes }, (_, n) => n).filter((n) => plans.get(`shape ${n}`))

it('keeps a limited number of plans, those used last', () => {
  const plans = new PlanCache()
  for (let n = 0; n < 600; n++) {
    plans.set(`shape ${n}`, planOf('select'))
    plans.get('shape 0')
  }
  const cached = cachedShapes(plans, 600)
  expect([cached.length, cached[0], cached[1]]).toEqual([500, 0, 101])
})

it('limits the total length of SQL', () => {
  const plans = new PlanCache()
  for (let n = 0; n < 30; n++) plans.set(`shape ${n}`, planOf('x'.repeat(200_000)))
  expect(cachedShapes(plans, 30)).toEqual([20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
  for (let n = 0; n < 30; n++) plans.set('shape 29', planOf('x'.repeat(200_000)))
  expect(cachedShapes(plans, 30)).toHaveLength(10)
})

it('names a statement from its second use on, by role and generation', () => {
  const [plans, others] = [new PlanCache(), new PlanCache()]
  const plan = planOf('select 1')
  expect(plans.statementName(plan, 'anon')).toBeUndefined()
  const name = plans.statementName(plan, 'anon')
  expect(plans.statementName(plan, 'anon')).toBe(name)
  expect(plans.statementName(plan, 'authenticated')).not.toBe(name)
  const same = planOf('select 1')
  others.statementName(same, 'anon')
  expect(others.statementName(same, 'anon')).not.toBe(name)
})
