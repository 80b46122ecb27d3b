import { expect, it } from 'vitest'
import { backoff } from './backoff.ts'

it('doubles up to the bound, and half of it is random', () => {
  const delays = (random: () => number) => [0, 1, 2, 4, 5, 50].map((attempts) => backoff(random, attempts))
  expect(delays(() => 1)).toEqual([1_000, 2_000, 4_000, 16_000, 30_000, 30_000])
  expect(delays(() => 0)).toEqual([500, 1_000, 2_000, 8_000, 15_000, 15_000])
  expect(backoff(() => 1, 50, 60_000)).toBe(60_000)
})
