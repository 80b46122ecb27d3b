import { createBudget } from '../budgets/createBudget.ts'

const windowSeconds = 60

/** Counts events of callers within the last minute, and limits each caller to as much of the rate as it leaves free. */
export interface RateShares {
  /** Counts an event, or returns false if it would exceed the caller's share; then nothing is counted. */
  take(key: string, amount?: number): boolean
  /** Whether the caller alone has taken at least the amount of one second, so that it caused its refusal itself. */
  isExcessive(key: string): boolean
  /** How often something was taken, since the start. */
  total(): number
}

/**
 * @param maxPerSecond of all callers together, averaged over a minute; Infinity: no limit
 * @param o.maxPerCaller per second, for each caller
 * @param o.now a monotonic clock, in ms
 */
export function createRateShares(
  maxPerSecond: number,
  o: { maxPerCaller?: number; now?: () => number } = {},
): RateShares {
  const { maxPerCaller = Infinity, now = () => performance.now() } = o
  const budget = createBudget({
    capacity: maxPerSecond * windowSeconds,
    maxPerCaller: maxPerCaller * windowSeconds,
  })
  /** What was used in each second of the window, which is released a minute later. */
  const seconds = Array.from({ length: windowSeconds }, () => new Map<string, number>())
  let second = Math.floor(now() / 1000)
  let total = 0

  const advance = (): void => {
    const current = Math.floor(now() / 1000)
    const steps = Math.min(current - second, windowSeconds)
    for (let step = 1; step <= steps; step++) {
      const expired = seconds[(current - steps + step) % windowSeconds]!
      for (const [key, amount] of expired) budget.release(key, amount)
      expired.clear()
    }
    second = current
  }

  return {
    take(key, amount = 1) {
      advance()
      if (!budget.take(key, amount)) return false
      const taken = seconds[second % windowSeconds]!
      taken.set(key, (taken.get(key) ?? 0) + amount)
      total++
      return true
    },
    isExcessive(key) {
      advance()
      return budget.takenBy(key) >= Math.min(maxPerSecond, maxPerCaller)
    },
    total: () => total,
  }
}
