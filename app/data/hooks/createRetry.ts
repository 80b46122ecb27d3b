const MIN_DELAY_MS = 2_000
const MAX_DELAY_MS = 60_000

export interface Retry {
  /** Calls the function once: after the delay, which doubles from 2 s to 60 s, or as soon as the network is back. */
  schedule: (run: () => void) => void
  /** After a success: the next delay is the shortest one. */
  reset: () => void
}

/** Repeats a failed request. */
export function createRetry(): Retry {
  let delayMs = MIN_DELAY_MS
  return {
    schedule: (run) => {
      const attempt = () => {
        clearTimeout(timer)
        removeEventListener('online', attempt)
        run()
      }
      const timer = setTimeout(attempt, delayMs)
      addEventListener('online', attempt)
      delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)
    },
    reset: () => {
      delayMs = MIN_DELAY_MS
    },
  }
}
