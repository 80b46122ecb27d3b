import { callerKey } from '../../budgets/callerKey.ts'
import { createTokenBuckets } from '../../budgets/createTokenBuckets.ts'
import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import {
  type Permission,
  type PermissionCheck,
  type PolicyCheckOptions,
  type PolicyResult,
  checkPolicies,
  codeOf,
} from './checkPolicies.ts'
import { createFairQueue, type FairQueue } from '../../runtime/createFairQueue.ts'

/**
 * The result of a check. `sessionEndsAt`: the time at which the session of the caller ends, in ms since 1970, or
 * Infinity. `unavailable`: the database did not respond. `refused`: the session has ended, or a policy raised an
 * error or exceeded its timeout.
 */
export type PermissionResult =
  | { outcome: 'checked'; allowed: Permission[]; sessionEndsAt: number }
  | { outcome: 'refused'; why: 'session-ended' | 'policy-error' | 'too-slow' }
  | { outcome: 'unavailable' }

export interface Authorizer {
  /**
   * Checks the policies of a topic. It never rejects. Checks that are requested at the same time share a transaction.
   */
  check(check: PermissionCheck): Promise<PermissionResult>
}

interface QueuedCheck extends PermissionCheck {
  resolve: (resolve: PermissionResult) => void
}

/** The checks that wait for a connection of their pool. */
interface CheckQueue {
  pool: Pool
  /** The maximum number of concurrent connections, besides the connection for slow checks. */
  maxBatches: number
  checks: FairQueue<QueuedCheck>
  running: number
  batchSize: number
}

/**
 * The number of checks of a caller that do not yield: at once, and then in each second. A client joins its own topic
 * first.
 */
const promptChecks = 4
/** The number of checks in a transaction. It is lower while checks are slow, so that none waits long for others. */
const batchLimits = { min: 20, max: 100, slowMs: 1_000, fastMs: 300 }
/**
 * The maximum duration of a policy. A slower check runs again alone, so that it delays only other slow checks. A
 * check that exceeds the second limit is refused, as in the hosted service.
 */
const statementTimeout = { quick: '500ms', slowQueue: '5s' }
/** The maximum number of waiting slow checks of one caller. */
const maxSlowChecks = 5
const queryCanceled = '57014'

/**
 * Checks the policies on realtime.messages as the hosted service does. A caller may read if it can select a row of
 * the topic and extension, and may write if it can insert one. The check sets `realtime.topic()`, and its transaction
 * is rolled back. A token is valid until it expires, unless policies check its session.
 * @param pool of supabase_realtime_admin, which owns the table and may set any API role
 * @param lowPool of the same role; its connection has a lower priority. If a caller joins many topics at once, all
 * but the first are checked there. After a restart each client does this, and requests of others are more urgent.
 */
export function createAuthorizer(pool: Pool, lowPool: Pool, log: Logger): Authorizer {
  const createQueue = (of: Pool, maxBatches: number): CheckQueue => ({
    pool: of,
    maxBatches,
    checks: createFairQueue(),
    running: 0,
    batchSize: batchLimits.max,
  })
  const queue = createQueue(pool, 2)
  const yieldingQueue = createQueue(lowPool, 1)
  const slowQueue = createFairQueue<QueuedCheck>()
  const prompt = createTokenBuckets({
    size: promptChecks,
    refill: promptChecks,
    period: 1_000,
    now: () => performance.now(),
  })
  let isSlowRunning = false
  let scheduled = false

  const startBatches = (of: CheckQueue): void => {
    while (of.running < of.maxBatches && of.checks.size() > 0) {
      of.running++
      void checkBatch(of, of.checks.take(of.batchSize).filter(isPending)).finally(() => {
        of.running--
        startBatches(of)
      })
    }
  }

  const startSlow = (): void => {
    if (isSlowRunning || slowQueue.size() === 0) return
    isSlowRunning = true
    const [next] = slowQueue.take(1)
    void (isPending(next!) ? checkSlow(next!) : Promise.resolve()).finally(() => {
      isSlowRunning = false
      startSlow()
    })
  }

  /** Null if the database is unavailable. */
  const runChecks = async (
    of: Pool,
    checks: QueuedCheck[],
    o: PolicyCheckOptions,
  ): Promise<(PolicyResult | null)[] | null> => {
    try {
      return await of.withClient((client) => checkPolicies(client, checks, o))
    } catch (error) {
      log.error('realtime.authorization_unavailable', { reason: (error as Error).message })
      for (const { resolve } of checks) resolve({ outcome: 'unavailable' })
      return null
    }
  }

  const checkBatch = async (of: CheckQueue, checks: QueuedCheck[]): Promise<void> => {
    if (checks.length === 0) return
    const started = performance.now()
    const limit = { statementTimeout: statementTimeout.quick }
    const outcomes = await runChecks(of.pool, checks, { ...limit, isolated: false })
    const unchecked = outcomes ? resolveAll(checks, outcomes) : []
    if (unchecked.length > 0) {
      const second = await runChecks(of.pool, unchecked, { ...limit, isolated: true })
      for (const { resolve } of second ? resolveAll(unchecked, second) : [])
        resolve({ outcome: 'unavailable' })
    }
    const durationMs = performance.now() - started
    if (durationMs > batchLimits.slowMs) of.batchSize = Math.max(batchLimits.min, of.batchSize >> 1)
    else if (durationMs < batchLimits.fastMs) of.batchSize = Math.min(batchLimits.max, of.batchSize << 1)
  }

  const checkSlow = async (check: QueuedCheck): Promise<void> => {
    const outcomes = await runChecks(pool, [check], {
      statementTimeout: statementTimeout.slowQueue,
      isolated: false,
    })
    const outcome = outcomes?.[0]
    if (!outcome) return
    if ('error' in outcome && codeOf(outcome.error) === queryCanceled) {
      log.warn('realtime.policy_timeout', { topic: check.topic })
      return check.resolve({ outcome: 'refused', why: 'too-slow' })
    }
    resolveOne(check, outcome)
  }

  /** Resolves the checks that have a result. Returns the checks that did not run because another one failed. */
  const resolveAll = (checks: QueuedCheck[], outcomes: (PolicyResult | null)[]): QueuedCheck[] =>
    checks.filter((check, at) => {
      const outcome = outcomes[at]
      if (!outcome) return true
      if ('error' in outcome && codeOf(outcome.error) === queryCanceled) defer(check)
      else resolveOne(check, outcome)
      return false
    })

  const resolveOne = ({ resolve, topic }: QueuedCheck, outcome: PolicyResult): void => {
    if ('allowed' in outcome) {
      const { allowed, sessionEnded, sessionEndsAt } = outcome
      if (allowed.length === 0 && sessionEnded) return resolve({ outcome: 'refused', why: 'session-ended' })
      return resolve({ outcome: 'checked', allowed, sessionEndsAt })
    }
    log.warn('realtime.policy_failed', { topic, reason: outcome.error.message })
    resolve({ outcome: 'refused', why: 'policy-error' })
  }

  const defer = (check: QueuedCheck): void => {
    const caller = callerKey(check.caller)
    if (slowQueue.countOf(caller) >= maxSlowChecks)
      return check.resolve({ outcome: 'refused', why: 'too-slow' })
    slowQueue.add(caller, check)
    startSlow()
  }

  return {
    check: (request) =>
      new Promise((resolve) => {
        // PostgreSQL's text cannot contain NUL: the whole batch would fail.
        if (request.topic.includes('\0')) return resolve({ outcome: 'refused', why: 'policy-error' })
        const check = { ...request, resolve }
        const caller = callerKey(check.caller)
        const isYielding = request.canYield === true && prompt.take(caller) > 0
        const { checks } = isYielding ? yieldingQueue : queue
        checks.add(caller, check)
        if (scheduled) return
        scheduled = true
        // After the frames that arrived with this one were read, so that their joins share a batch.
        setImmediate(() => {
          scheduled = false
          startBatches(queue)
          startBatches(yieldingQueue)
        })
      }),
  }
}

function isPending({ isCancelled, resolve }: QueuedCheck): boolean {
  if (!isCancelled?.()) return true
  resolve({ outcome: 'unavailable' })
  return false
}
