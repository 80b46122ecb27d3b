/** How long and how often an HTTP hook is asked. */
export interface HookLimits {
  /** For all attempts together, until the last byte of the answer, in ms. */
  timeout: number
  /** Between attempts that reached nobody, in ms. */
  backoff: number
  attempts: number
}

/** Those of hosted. */
export const hookLimits: HookLimits = { timeout: 5_000, backoff: 2_000, attempts: 3 }
