import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchRates } from './watchRates.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('averages over the last minute', () => {
  let count = 1_000
  const rates = watchRates(() => ({ count }))
  expect(rates.perSecond()).toEqual({ count: 0 })
  for (let second = 0; second < 30; second++) {
    count += 10
    vi.advanceTimersByTime(1_000)
  }
  expect(rates.perSecond().count).toBeCloseTo(10)
  // Events of more than a minute ago no longer count.
  vi.advanceTimersByTime(30_000)
  expect(rates.perSecond().count).toBeGreaterThan(4)
  vi.advanceTimersByTime(60_000)
  expect(rates.perSecond()).toEqual({ count: 0 })
  rates.close()
})

it('reports no excessive rate for events right after the start', () => {
  let count = 0
  const rates = watchRates(() => ({ count }))
  count = 50
  vi.advanceTimersByTime(1)
  expect(rates.perSecond()).toEqual({ count: 50 })
  rates.close()
})
