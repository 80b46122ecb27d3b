import type { Client } from 'pg'
import { createCallerActivity } from '../../budgets/createCallerActivity.ts'
import type { TokenBuckets } from '../../budgets/createTokenBuckets.ts'
import { backendProcess, type BackendProcess } from './backendProcess.ts'
import type { Pool } from './pool.ts'

/** Reading that ends sooner is counted by the clock: reading the processor time of a backend process would take longer than what it measures. */
const shortMs = 5
/** How often longer reading is checked at most. */
const minCheckMs = 20
/** Time that is set aside for each read until it ends: else all of many parallel ones would begin with the last millisecond. */
const expectedMs = 20

export interface YieldingPoolOptions {
  pool: Pool
  /** Its connections have a lower priority (`PoolOptions.onOpen`). */
  lowPool: Pool
  /** Milliseconds of a processor for the reading of each caller. */
  time: Pick<TokenBuckets, 'left' | 'use'>
  process?: BackendProcess
  /** In milliseconds. */
  now?: () => number
}

/** For good: a lower priority can't be raised again without privileges. */
export function lowerPriority(client: Client, process: BackendProcess = backendProcess): void {
  process.lowerPriority(pidOf(client))
}

/**
 * A pool in which reading of callers that have used their time yields to others: it uses connections of `lowPool`, which
 * are as fast while a processor is free, and delay nobody while none is. Reading that is already running gets a lower
 * priority, and its connection is closed when it ends. Nothing yields while its caller is alone. Other work than reading
 * never yields, since others would wait for its locks; how much of it runs at once is `maxWritesBesideOthers` of `pool`.
 */
export function createYieldingPool(o: YieldingPoolOptions): Pool {
  const { pool, lowPool, time, process = backendProcess, now = () => performance.now() } = o
  /** Reading of each caller that is running. */
  const running = new Map<string, number>()
  /** Reading of each caller that began or waits at ordinary priority. */
  const ordinary = new Map<string, number>()
  const { countUse, isAlone } = createCallerActivity(now)

  const count = (counts: Map<string, number>, callerKey: string, change: number): void => {
    const value = (counts.get(callerKey) ?? 0) + change
    if (value > 0) counts.set(callerKey, value)
    else counts.delete(callerKey)
  }

  /** Counts the time of the caller's reading until the returned function is called, and lowers its priority when none is left. */
  const begin = (client: Client, callerKey: string, canLower: boolean): (() => void) => {
    const began = now()
    let before: number | null = null
    count(running, callerKey, 1)
    const used = (): number => {
      const cpuMs = process.cpuTime(pidOf(client))
      if (cpuMs === null) return 0
      before ??= cpuMs
      return shortMs + cpuMs - before
    }
    const check = (): void => {
      const usedMs = used()
      if (before === null || !canLower) return
      const leftMs = time.left(callerKey) / running.get(callerKey)! - usedMs
      if (leftMs <= 0 && !isAlone(callerKey)) {
        lowerPriority(client, process)
        pool.retire(client)
      } else timer = setTimeout(check, Math.max(leftMs, minCheckMs))
    }
    let timer = setTimeout(check, shortMs)
    return () => {
      clearTimeout(timer)
      time.use(callerKey, before === null ? Math.min(now() - began, shortMs) : used())
      count(running, callerKey, -1)
    }
  }

  const withClient: Pool['withClient'] = async (fn, signal, callerKey, readOnly, maxMs) => {
    if (callerKey !== undefined) countUse(callerKey)
    if (callerKey === undefined || !readOnly) return pool.withClient(fn, signal, callerKey, readOnly, maxMs)
    const isLow = time.left(callerKey) <= expectedMs * (ordinary.get(callerKey) ?? 0) && !isAlone(callerKey)
    const read: typeof fn = async (client) => {
      const end = begin(client, callerKey, !isLow)
      try {
        return await fn(client)
      } finally {
        end()
      }
    }
    if (isLow) return lowPool.withClient(read, signal, callerKey, readOnly, maxMs)
    count(ordinary, callerKey, 1)
    try {
      return await pool.withClient(read, signal, callerKey, readOnly, maxMs)
    } finally {
      count(ordinary, callerKey, -1)
    }
  }

  return {
    ...pool,
    withClient,
    transaction: (fn, signal, callerKey) => {
      if (callerKey !== undefined) countUse(callerKey)
      return pool.transaction(fn, signal, callerKey)
    },
    renew() {
      pool.renew()
      lowPool.renew()
    },
    async end() {
      await Promise.all([pool.end(), lowPool.end()])
    },
  }
}

/** The process of a connection; pg's types lack it. */
const pidOf = (client: Client): number => (client as unknown as { processID: number }).processID
