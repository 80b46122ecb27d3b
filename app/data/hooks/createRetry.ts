import { backoff } from '../client/backoff.ts'

const MAX_DELAY_MS = 60_000

export interface Retry {
  /** Calls the function once: after the delay of `backoff`, at most 60 s, or as soon as the network is back. */
  schedule: (run: () => void) => void
  /** After a success: the next delay is the shortest one. */
  reset: () => void
}

/** Repeats a failed request. */
export function createRetry(): Retry {
  let attempts = 0
  return {
    schedule: (run) => {
      const attempt = () => {
        clearTimeout(timer)
        removeEventListener('online', attempt)
        run()
      }
      const timer = setTimeout(attempt, backoff(Math.random, attempts, MAX_DELAY_MS))
      addEventListener('online', attempt)
      attempts += 1
    },
    reset: () => {
      attempts = 0
    },
  }
}
