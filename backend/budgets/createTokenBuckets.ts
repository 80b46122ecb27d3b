/** A bucket of tokens for each caller (or other key), refilled evenly. */
export interface TokenBuckets {
  /** Tokens that are left; negative where more were used than there were. */
  left(key: string): number
  /** Takes tokens, of which fewer may be left. */
  use(key: string, tokens: number): void
  /** Takes a token and returns 0, or returns the seconds until there is one. */
  take(key: string): number
  /** Puts back a token that was taken. */
  refund(key: string): void
}

interface Bucket {
  left: number
  at: number
}

/** The buckets used longest ago are dropped beyond this count, so that a flood of addresses cannot fill the memory. */
const maxKeys = 20_000

/**
 * @param o.size tokens of a full bucket
 * @param o.refill tokens that are added evenly in each `period`
 * @param o.period in ms, like `now`
 * @param o.maxDebt however many tokens were used, no more than these are missing
 */
export function createTokenBuckets(o: {
  size: number
  refill: number
  period: number
  maxDebt?: number
  now: () => number
}): TokenBuckets {
  const { size, refill, period, maxDebt = 0, now } = o
  /** Oldest use first. */
  const buckets = new Map<string, Bucket>()
  const leftAt = (bucket: Bucket, time: number): number =>
    // If the clock was set back, the bucket must not be emptied.
    Math.min(size, bucket.left + (Math.max(0, time - bucket.at) * refill) / period)

  const left = (key: string): number => {
    const bucket = buckets.get(key)
    return bucket ? leftAt(bucket, now()) : size
  }
  const use = (key: string, tokens: number): void => {
    const time = now()
    const next = Math.min(size, Math.max(left(key) - tokens, -maxDebt))
    buckets.delete(key)
    buckets.set(key, { left: next, at: time })
    // Full ones are dropped, which changes nothing, up to the first that is not.
    for (const [oldest, bucket] of buckets) {
      if (leftAt(bucket, time) < size && buckets.size <= maxKeys) break
      buckets.delete(oldest)
    }
  }
  return {
    left,
    use,
    take(key) {
      if (size === 0) return Math.ceil(period / 1000)
      const tokens = left(key)
      use(key, tokens >= 1 ? 1 : 0)
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * period) / refill / 1000)
    },
    refund: (key) => use(key, -1),
  }
}
