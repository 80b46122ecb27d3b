import { expect, it } from 'vitest'
import { findMaxRate } from './findMaxRate.ts'

/** A server that succeeds up to `capacity`; `rates` are the attempts. */
function serverWith(capacity: number): {
  rates: number[]
  attempt: (rate: number) => Promise<number | null>
} {
  const rates: number[] = []
  return {
    rates,
    attempt(rate) {
      rates.push(rate)
      return Promise.resolve(rate <= capacity ? rate : null)
    },
  }
}

it.each([20, 73, 99, 100, 180, 333, 4_321])('finds the capacity %i within a tenth', async (capacity) => {
  const { rates, attempt } = serverWith(capacity)
  const found = await findMaxRate(attempt)
  expect(found).toBeLessThanOrEqual(capacity)
  expect(found! * 1.1 + 1).toBeGreaterThanOrEqual(capacity)
  expect(rates.length).toBeLessThan(15)
})

it('returns null when the lowest rate fails', async () => {
  const { rates, attempt } = serverWith(19)
  expect(await findMaxRate(attempt)).toBeNull()
  expect(rates).toEqual([20])
})
