import { createBudget } from '../../budgets/createBudget.ts'

interface Bucket {
  left: number
  at: number
}

/** The oldest keys beyond this count are dropped, so that a flood of addresses cannot fill the memory. */
const mostKeys = 20_000

export interface Buckets {
  /** Takes a token and returns 0, or returns the seconds until there is one. */
  take(key: string): number
  /** Puts back a token that was taken. */
  giveBack(key: string): void
}

/** A token bucket of `size` per key, refilled evenly with `refill` tokens in each `period` (ms). */
export function createBuckets(o: {
  size: number
  refill: number
  period: number
  now: () => number
}): Buckets {
  const { size, refill, period, now } = o
  const buckets = new Map<string, Bucket>()
  const take = (key: string): number => {
    if (size === 0) return Math.ceil(period / 1000)
    const time = now()
    const known = buckets.get(key)
    // If the clock was set back, the bucket must not be emptied.
    const passed = known ? Math.max(0, time - known.at) : 0
    const left = known ? Math.min(size, known.left + (passed * refill) / period) : size
    buckets.delete(key)
    if (buckets.size >= mostKeys) buckets.delete(buckets.keys().next().value!)
    const taken = left >= 1
    buckets.set(key, { left: taken ? left - 1 : left, at: time })
    return taken ? 0 : Math.ceil(((1 - left) * period) / refill / 1000)
  }
  return {
    take,
    giveBack(key) {
      const known = buckets.get(key)
      if (known) known.left = Math.min(size, known.left + 1)
    },
  }
}

const hour = 3_600_000

/**
 * Allows `max` events an hour, in consecutive hours from now, of which each caller has a share (`createBudget`). Counts
 * one and returns 0 if the limit and the share are not reached, otherwise returns the seconds until the next hour.
 */
export function createHourlyCount(max: number, now: () => number): (caller: string) => number {
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
