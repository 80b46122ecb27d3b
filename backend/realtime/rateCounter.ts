const windowSeconds = 60

/** Counts events over the last 60 s, over which the limits of the contract are averaged. */
export interface RateCounter {
  add(count: number): void
  /** Events per second. */
  average(): number
  /** Events since the start. */
  total(): number
  /** Whether the average is at least `max`. */
  exceeded(): boolean
}

/**
 * @param max events per second; Infinity for no limit
 * @param now a monotonic clock, in ms
 */
export function createRateCounter(max: number, now: () => number = () => performance.now()): RateCounter {
  const buckets = new Float64Array(windowSeconds)
  let recent = 0
  let total = 0
  let second = Math.floor(now() / 1000)

  const advance = (): void => {
    const current = Math.floor(now() / 1000)
    const steps = Math.min(current - second, windowSeconds)
    for (let step = 1; step <= steps; step++) {
      const at = (current - steps + step) % windowSeconds
      recent -= buckets[at]!
      buckets[at] = 0
    }
    second = current
  }

  const average = (): number => {
    advance()
    return recent / windowSeconds
  }

  return {
    add(count) {
      advance()
      buckets[second % windowSeconds]! += count
      recent += count
      total += count
    },
    average,
    total: () => total,
    exceeded: () => max !== Infinity && average() >= max,
  }
}
