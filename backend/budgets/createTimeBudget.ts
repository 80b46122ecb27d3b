/** Time of a shared resource that each caller may use. */
export interface TimeBudget {
  /** Milliseconds that are left; not positive where the caller has used all of it. */
  left(caller: string): number
  use(caller: string, ms: number): void
}

/** The callers who used their time longest ago are forgotten beyond this count, so that a flood cannot fill the memory. */
const maxCallers = 20_000

/** However much a caller has used, it has time again this much later. */
const maxDebtMs = 30_000

/** Each caller has `burstMs`, which refills with `msPerSecond` while it uses nothing. `now` in milliseconds. */
export function createTimeBudget(
  { burstMs, msPerSecond }: { burstMs: number; msPerSecond: number },
  now: () => number = () => performance.now(),
): TimeBudget {
  /** When all of the time is left again, oldest use first. */
  const fullAt = new Map<string, number>()
  const refillMs = (ms: number): number => (ms * 1_000) / msPerSecond

  return {
    left(caller) {
      const waitMs = Math.max(0, (fullAt.get(caller) ?? 0) - now())
      return burstMs - (waitMs * msPerSecond) / 1_000
    },
    use(caller, ms) {
      const at = now()
      const next = Math.max(fullAt.get(caller) ?? 0, at) + refillMs(ms)
      fullAt.delete(caller)
      fullAt.set(caller, Math.min(next, at + refillMs(burstMs) + maxDebtMs))
      // Those with all their time again are forgotten, which changes nothing for them, up to the first that has not.
      for (const [other, time] of fullAt) {
        if (time > at && fullAt.size <= maxCallers) break
        fullAt.delete(other)
      }
    },
  }
}
