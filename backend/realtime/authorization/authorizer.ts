import { callerKey } from '../../budgets/callerKey.ts'
import type { Caller } from '../../../wire/claims.ts'
import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { checkPolicies, codeOf, type PolicyCheckOptions, type PolicyResult } from './checkPolicies.ts'
import { createFairQueue } from '../../runtime/createFairQueue.ts'

export type Extension = 'broadcast' | 'presence'
/** What policies tell apart by the column `extension`; to store a broadcast is only ever a matter of writing. */
export type Permission = Extension | 'persistence'

/** May `caller` read or write these extensions of `topic`? */
export interface PermissionCheck {
  caller: Caller
  topic: string
  verb: 'read' | 'write'
  extensions: Permission[]
  /** Whoever asked may be gone before it is his turn. */
  isCancelled?: () => boolean
}

/**
 * `unavailable`: the database did not respond; `refused` by policies to a caller whose session has ended, or by a policy
 * that raised an error or took too long.
 */
export type PermissionResult =
  | { outcome: 'checked'; allowed: Permission[] }
  | { outcome: 'refused'; why: 'session-ended' | 'policy-error' | 'too-slow' }
  | { outcome: 'unavailable' }

export interface Authorizer {
  /** Never rejects. Questions asked at the same time share a transaction. */
  check(check: PermissionCheck): Promise<PermissionResult>
}

interface QueuedCheck extends PermissionCheck {
  resolve: (resolve: PermissionResult) => void
}

/** Connections of the pool that are used at once, beside the one of the slow. */
const maxConcurrentBatches = 2
/** Questions of one transaction: fewer where they were slow, so that nobody waits long behind others. */
const batchLimits = { min: 20, max: 100, slowMs: 1_000, fastMs: 300 }
/**
 * What one statement of a policy may take. One that takes longer is asked again alone, where it holds up
 * only those that are as slow; what is slower still is refused, as the hosted service does.
 */
const statementTimeout = { quick: '500ms', slowQueue: '5s' }
/** Slow questions of one person that may wait. */
const maxSlowChecks = 5
const queryCanceled = '57014'

/**
 * Asks the policies on realtime.messages, as the hosted service does: to read is to see a row of one's
 * topic and extension, to write is to insert one, as the caller with `realtime.topic()` set, in a
 * transaction that is rolled back. A token counts until it expires, unless the policies ask for its session.
 * @param pool of supabase_realtime_admin, who owns the table and may become any API role
 */
export function createAuthorizer(pool: Pool, log: Logger): Authorizer {
  const queue = createFairQueue<QueuedCheck>()
  const slowQueue = createFairQueue<QueuedCheck>()
  let running = 0
  let isSlowRunning = false
  let scheduled = false
  let batchSize = batchLimits.max

  const startBatches = (): void => {
    scheduled = false
    while (running < maxConcurrentBatches && queue.size() > 0) {
      running++
      void checkBatch(queue.take(batchSize).filter(isPending)).finally(() => {
        running--
        startBatches()
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

  /** Null where the database could not be asked. */
  const runChecks = async (
    checks: QueuedCheck[],
    o: PolicyCheckOptions,
  ): Promise<(PolicyResult | null)[] | null> => {
    try {
      return await pool.withClient((client) => checkPolicies(client, checks, o))
    } catch (error) {
      log.error('realtime authorisation unavailable', { reason: (error as Error).message })
      for (const { resolve } of checks) resolve({ outcome: 'unavailable' })
      return null
    }
  }

  const checkBatch = async (checks: QueuedCheck[]): Promise<void> => {
    if (checks.length === 0) return
    const started = performance.now()
    const outcomes = await runChecks(checks, { statementTimeout: statementTimeout.quick, isolated: false })
    const unchecked = outcomes ? resolveAll(checks, outcomes) : []
    if (unchecked.length > 0) {
      const second = await runChecks(unchecked, { statementTimeout: statementTimeout.quick, isolated: true })
      for (const { resolve } of second ? resolveAll(unchecked, second) : [])
        resolve({ outcome: 'unavailable' })
    }
    const durationMs = performance.now() - started
    if (durationMs > batchLimits.slowMs) batchSize = Math.max(batchLimits.min, batchSize >> 1)
    else if (durationMs < batchLimits.fastMs) batchSize = Math.min(batchLimits.max, batchSize << 1)
  }

  const checkSlow = async (check: QueuedCheck): Promise<void> => {
    const outcomes = await runChecks([check], {
      statementTimeout: statementTimeout.slowQueue,
      isolated: false,
    })
    const outcome = outcomes?.[0]
    if (!outcome) return
    if ('error' in outcome && codeOf(outcome.error) === queryCanceled) {
      log.warn('realtime policy too slow', { topic: check.topic })
      return check.resolve({ outcome: 'refused', why: 'too-slow' })
    }
    resolveOne(check, outcome)
  }

  /** Answers what it can; returns the questions that an error of another left unasked. */
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
      const { allowed, sessionEnded } = outcome
      if (allowed.length === 0 && sessionEnded) return resolve({ outcome: 'refused', why: 'session-ended' })
      return resolve({ outcome: 'checked', allowed })
    }
    log.warn('realtime policy error', { topic, reason: outcome.error.message })
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
        // PostgreSQL has no such text: it would refuse all that are asked with it.
        if (request.topic.includes('\0')) return resolve({ outcome: 'refused', why: 'policy-error' })
        const check = { ...request, resolve }
        queue.add(callerKey(check.caller), check)
        if (scheduled) return
        scheduled = true
        // After the frames that arrived with this one were read: their joins go together.
        setImmediate(startBatches)
      }),
  }
}

function isPending({ isCancelled, resolve }: QueuedCheck): boolean {
  if (!isCancelled?.()) return true
  resolve({ outcome: 'unavailable' })
  return false
}
