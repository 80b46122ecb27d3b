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

it('turns at the start and every minute, so that one that is missing comes back', async () => {
  expect(query).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(query).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(query).toHaveBeenCalledTimes(2)
})

it.each([
  ['tomorrow', '2026-11-22T00:00:00Z'],
  ['after many days asleep', '2026-12-24T18:00:00Z'],
  ['when the clock is put back', '2026-11-20T23:00:00Z'],
])('turns at once %s', async (_, then) => {
  await vi.advanceTimersByTimeAsync(10_000)
  vi.setSystemTime(Date.parse(then))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(query).toHaveBeenCalledTimes(2)
})

it('tries again soon after a failure', async () => {
  query.mockRejectedValueOnce(new Error('away'))
  await vi.advanceTimersByTimeAsync(61_000)
  expect(query).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(6_000)
  expect(query).toHaveBeenCalledTimes(3)
})
