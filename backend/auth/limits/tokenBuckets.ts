import { createBudget } from '../../budgets/createBudget.ts'

interface Bucket {
  left: number
  at: number
}

/** The oldest keys beyond this count are dropped, so that a flood of addresses cannot fill the memory. */
const maxKeys = 20_000

export interface TokenBuckets {
  /** Takes a token and returns 0, or returns the seconds until there is one. */
  take(key: string): number
  /** Puts back a token that was taken. */
  refund(key: string): void
}

/** A token bucket of `size` per key, refilled evenly with `refill` tokens in each `period` (ms). */
export function createTokenBuckets(o: {
  size: number
  refill: number
  period: number
  now: () => number
}): TokenBuckets {
  const { size, refill, period, now } = o
  const buckets = new Map<string, Bucket>()
  const take = (key: string): number => {
    if (size === 0) return Math.ceil(period / 1000)
    const time = now()
    const existing = buckets.get(key)
    // If the clock was set back, the bucket must not be emptied.
    const passed = existing ? Math.max(0, time - existing.at) : 0
    const left = existing ? Math.min(size, existing.left + (passed * refill) / period) : size
    buckets.delete(key)
    if (buckets.size >= maxKeys) buckets.delete(buckets.keys().next().value!)
    const isAllowed = left >= 1
    buckets.set(key, { left: isAllowed ? left - 1 : left, at: time })
    return isAllowed ? 0 : Math.ceil(((1 - left) * period) / refill / 1000)
  }
  return {
    take,
    refund(key) {
      const existing = buckets.get(key)
      if (existing) existing.left = Math.min(size, existing.left + 1)
    },
  }
}

const hour = 3_600_000

/**
 * Allows `max` events an hour, in consecutive hours from now, of which each caller has a share (`createBudget`). Counts
 * one and returns 0 if the limit and the share are not reached, otherwise returns the seconds until the next hour.
 */
export function createHourlyLimit(max: number, now: () => number): (caller: string) => number {
  let began = now()
  let counted = createBudget({ capacity: max })
  return (caller) => {
    const time = now()
    if (time >= began + hour || time < began) {
      began = time < began ? time : began + Math.floor((time - began) / hour) * hour
      counted = createBudget({ capacity: max })
    }
    return counted.take(caller) ? 0 : Math.ceil((began + hour - time) / 1000)
  }
}
