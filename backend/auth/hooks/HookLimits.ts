/** How long hooks are waited for, and how often an HTTP hook is called. */
export interface HookLimits {
  /** Of an HTTP hook: for all attempts together, until the last byte of the response, in ms. */
  timeout: number
  /** Between attempts that reached nobody, in ms. */
  backoff: number
  attempts: number
  /** Of a Postgres function, in ms. */
  functionTimeout: number
}

/** Those of hosted. */
export const hookLimits: HookLimits = {
  timeout: 5_000,
  backoff: 2_000,
  attempts: 3,
  functionTimeout: 2_000,
}
