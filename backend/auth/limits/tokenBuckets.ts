interface Bucket {
  left: number
  at: number
}

/** More keys than this and the oldest are forgotten: a flood of addresses must not fill the memory. */
const mostKeys = 20_000

export interface Buckets {
  /** Takes one and returns 0, or returns the seconds until there is one. */
  take(key: string): number
  /** Puts one back that was taken. */
  giveBack(key: string): void
}

/** A bucket of `size` for each key, into which `refill` flow evenly in each `period` (ms). */
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
    // A clock that was set back must not empty what was left.
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
 * Counts `most` an hour, hours counted from now. Where there is room it counts one and returns 0; else the seconds
 * until the next hour.
 */
export function createHourlyCount(most: number, now: () => number): () => number {
  let began = now()
  let count = 0
  return () => {
    const time = now()
    if (time >= began + hour || time < began) {
      began = time < began ? time : began + Math.floor((time - began) / hour) * hour
      count = 0
    }
    if (count < most) {
      count++
      return 0
    }
    return Math.ceil((began + hour - time) / 1000)
  }
}
