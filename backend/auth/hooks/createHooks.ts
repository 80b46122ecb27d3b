import type { Pool } from '../../postgres/connections/pool.ts'
import { createRequestQueue, type RequestQueue } from '../limits/createRequestQueue.ts'
import { type HookName, hookNames, type HookSettings } from '../settings/hookSettings.ts'

/**
 * The connections and slots of each hook. They are separate, so that a slow hook delays only its own requests.
 */
export interface Hooks {
  limits: HookLimits
  /** The connections of a hook that is a PostgreSQL function; null for others. */
  poolOf(name: HookName): Pool | null
  /**
   * The connections on which transactions wait for locks that may be held during a PostgreSQL function; null if no
   * hook is a PostgreSQL function.
   */
  waitingPool: Pool | null
  /** The slots of an HTTP hook; null for others. */
  slotsOf(name: HookName): RequestQueue | null
}

/** The maximum number of requests that wait for a slot of an HTTP hook. Further requests are rejected with 429. */
const maxWaiting = 200

/** @param openPool opens a pool whose connections are created on demand */
export function createHooks(o: {
  settings: HookSettings
  limits: HookLimits
  openPool: (name: HookName, max: number) => Pool
}): Hooks {
  const pools = new Map<HookName, Pool>()
  const slots = new Map<HookName, RequestQueue>()
  for (const name of hookNames) {
    const hook = o.settings[name]
    if (hook?.kind === 'function') pools.set(name, o.openPool(name, hook.maxConcurrent))
    if (hook?.kind === 'http') {
      // Shared: a hook that hangs for what one client sends must not hold the slots of all.
      slots.set(name, createRequestQueue({ maxConcurrent: hook.maxConcurrent, maxWaiting, isShared: true }))
    }
  }
  return {
    limits: o.limits,
    poolOf: (name) => pools.get(name) ?? null,
    waitingPool: pools.values().next().value ?? null,
    slotsOf: (name) => slots.get(name) ?? null,
  }
}

/** Timeouts of hooks, and the attempts to call an HTTP hook. */
export interface HookLimits {
  /** The timeout of an HTTP hook in ms. It covers all attempts, until the last byte of the response. */
  timeout: number
  /** The pause between attempts to call an HTTP hook, in ms. */
  backoff: number
  attempts: number
  /** The timeout of a PostgreSQL function, in ms. */
  functionTimeout: number
}

/** The limits of hosted Supabase. */
export const hookLimits: HookLimits = {
  timeout: 5_000,
  backoff: 2_000,
  attempts: 3,
  functionTimeout: 2_000,
}
