import type { Pool } from '../../postgres/connections/pool.ts'
import { createFairQueue, type FairQueue } from '../guards/createFairQueue.ts'
import type { HookSettings } from '../settings/hookSettings.ts'
import type { HookLimits } from './HookLimits.ts'
import { hookNames, type HookName } from './hookNames.ts'

/** What hooks may use at once, each its own, so that a slow one delays only those who need it. */
export interface Hooks {
  limits: HookLimits
  /** The connections of a hook that is a Postgres function; null for another. */
  poolOf(name: HookName): Pool | null
  /** Where transactions wait for locks that may be held through a Postgres function; null where no hook is one. */
  waitingPool: Pool | null
  /** The slots of an HTTP hook; null for another. */
  slotsOf(name: HookName): FairQueue | null
}

/** Requests that may wait for a slot of an HTTP hook; more are refused with 429. */
const maxWaiting = 200

/** @param openPool opens no connection before one is needed */
export function createHooks(o: {
  settings: HookSettings
  limits: HookLimits
  openPool: (name: HookName, max: number) => Pool
}): Hooks {
  const pools = new Map<HookName, Pool>()
  const slots = new Map<HookName, FairQueue>()
  for (const name of hookNames) {
    const hook = o.settings[name]
    if (hook?.kind === 'function') pools.set(name, o.openPool(name, hook.maxConcurrent))
    if (hook?.kind === 'http') {
      slots.set(name, createFairQueue({ atOnce: hook.maxConcurrent, most: maxWaiting }))
    }
  }
  return {
    limits: o.limits,
    poolOf: (name) => pools.get(name) ?? null,
    waitingPool: pools.values().next().value ?? null,
    slotsOf: (name) => slots.get(name) ?? null,
  }
}
