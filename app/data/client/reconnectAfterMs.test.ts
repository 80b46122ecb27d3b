import { expect, it } from 'vitest'
import { reconnectAfterMs } from './reconnectAfterMs.ts'

it('waits longer at each try, at most 10 s', () => {
  const most = [1, 2, 3, 4, 5, 100].map((tries) => reconnectAfterMs(tries, () => 1))
  expect(most).toEqual([1_000, 2_000, 5_000, 10_000, 10_000, 10_000])
})

it('never retries at once, and spreads clients that were disconnected together', () => {
  expect(reconnectAfterMs(1, () => 0)).toBe(300)
  const waits = Array.from({ length: 700 }, (_, at) => reconnectAfterMs(1, () => (at + 0.5) / 700))
  for (let from = 300; from < 1_000; from += 100) {
    expect(waits.filter((wait) => wait >= from && wait < from + 100)).toHaveLength(100)
  }
})
