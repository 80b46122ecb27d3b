import { expect, it } from 'vitest'
import { createRateCounter } from './rateCounter.ts'

it('averages over the last minute and drops older events', () => {
  let time = 1_000_000
  const counter = createRateCounter(1, () => time)
  counter.add(59)
  expect(counter.exceeded()).toBe(false)
  counter.add(1)
  expect(counter.average()).toBe(1)
  expect(counter.exceeded()).toBe(true)
  time += 59_000
  expect(counter.exceeded()).toBe(true)
  time += 1_000
  expect(counter.average()).toBe(0)
})

it('has no limit by default', () => {
  const counter = createRateCounter(Infinity)
  counter.add(1e9)
  expect(counter.exceeded()).toBe(false)
})
