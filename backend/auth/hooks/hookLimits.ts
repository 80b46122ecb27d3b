/** Timeouts of hooks, and the attempts to call an HTTP hook. */
export interface HookLimits {
  /** For an HTTP hook: all attempts together, until the last byte of the response, in ms. */
  timeout: number
  /** The pause between attempts, in ms. */
  backoff: number
  attempts: number
  /** For a PostgreSQL function, in ms. */
  functionTimeout: number
}

/** As on hosted Supabase. */
export const hookLimits: HookLimits = {
  timeout: 5_000,
  backoff: 2_000,
  attempts: 3,
  functionTimeout: 2_000,
}
