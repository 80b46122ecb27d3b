import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Pool } from '../../postgres/connections/pool.ts'
import { maintainPartitions } from './partitions.ts'

const query = vi.fn<() => Promise<unknown>>()
let maintenance: { close(): void }

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00Z') })
  query.mockReset().mockResolvedValue(null)
  maintenance = maintainPartitions({ query } as unknown as Pool, { info() {}, warn() {}, error() {} })
})
afterEach(() => {
  maintenance.close()
  vi.useRealTimers()
})

it('runs at the start and every minute, so that a missing partition is created again', async () => {
  expect(query).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(query).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(query).toHaveBeenCalledTimes(2)
})

it.each([
  ['on the next day', '2026-11-22T00:00:00Z'],
  ['after many days of suspension', '2026-12-24T18:00:00Z'],
  ['when the clock is set back', '2026-11-20T23:00:00Z'],
])('runs at once %s', async (_, then) => {
  await vi.advanceTimersByTimeAsync(10_000)
  vi.setSystemTime(Date.parse(then))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(query).toHaveBeenCalledTimes(2)
})

it('retries soon after an error', async () => {
  query.mockRejectedValueOnce(new Error('unavailable'))
  await vi.advanceTimersByTimeAsync(61_000)
  expect(query).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(6_000)
  expect(query).toHaveBeenCalledTimes(3)
})
