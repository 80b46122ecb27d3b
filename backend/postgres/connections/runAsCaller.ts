import type { Client, QueryResult } from 'pg'
import type { Caller } from '../../../wire/claims.ts'
import { callerKey } from '../../budgets/callerKey.ts'
import { commitOrThrow } from './commitOrThrow.ts'
import type { CancelSignal, Pool } from './pool.ts'
import type { AdmitRow } from './RowInterceptor.ts'
import { getRoleSettings, parseTimeout } from './roleSettings.ts'
import type { Isolation } from './roleSettings.ts'
import { commit, resultsBefore, isStalePlan, runPipeline } from './runPipeline.ts'
import { resetSession } from './resetSession.ts'
import type { TransactionStatement } from './TransactionQuery.ts'

export interface CallerOptions {
  caller: Caller
  /** Transaction-local settings, such as `request.headers`. They override the settings of the role. */
  settings?: Record<string, string>
  readOnly?: boolean
  /** Whether functions may leave session state behind. By default true unless `readOnly`. */
  leavesSessionState?: boolean
  /** Overrides the default isolation of the role. */
  isolation?: Isolation | null
  /** Ends with ROLLBACK even on success: a dry run. */
  rollback?: boolean
  /** Cancels the running statement. The promise then rejects with the signal's reason. */
  signal?: CancelSignal
}

/** Options of a request in one round trip. */
export interface PipelineOptions extends CallerOptions {
  /**
   * The number of first statements that take effect even if a later one fails or the transaction is a dry run. They
   * run once more, in a transaction of their own.
   */
  retained?: number
  /** Decides whether a long row of the result is received. Otherwise the promise rejects with RowRefused. */
  admitRow?: AdmitRow
}

/** Milliseconds for the rest of a request: its result is on its way, or a lost timeout is noticed. */
const overdueAfterMs = 1_000

const rollback: TransactionStatement = { text: 'rollback', name: 'rollback', raw: true }

const impersonationTexts: string[] = []

/**
 * Returns the statement that sets `count` settings until the end of the transaction. It returns one small number
 * instead of the values.
 */
function impersonationText(count: number): string {
  return (impersonationTexts[count] ??= `select octet_length(concat(${Array.from(
    { length: count },
    (_, i) => `set_config($${i * 2 + 1}, $${i * 2 + 2}, true)`,
  ).join(', ')}))`)
}

/**
 * Prepares the statement that sets role, claims and settings of the caller. Role is set last, because the role itself
 * may not be able to set some of its settings.
 */
async function prepareImpersonation(
  pool: Pool,
  { caller, settings, readOnly, isolation }: CallerOptions,
): Promise<{ impersonate: TransactionStatement; isolation: Isolation | null; timeoutMs: number | null }> {
  const ofRole = await getRoleSettings(pool, caller.role)
  const values = ['request.jwt.claims', caller.claimsJson]
  // Cannot be undone: after its first query a read-only transaction cannot become read-write.
  if (readOnly) values.push('transaction_read_only', 'on')
  for (const [key, value] of ofRole.settings) {
    if (settings?.[key] === undefined) values.push(key, value)
  }
  for (const key in settings) values.push(key, settings[key]!)
  values.push('role', caller.role)
  const text = impersonationText(values.length / 2)
  const ownTimeout = settings?.['statement_timeout']
  return {
    impersonate: { text, values, name: text, raw: true },
    isolation: isolation ?? ofRole.isolation,
    timeoutMs: ownTimeout === undefined ? ofRole.timeoutMs : parseTimeout(ownTimeout),
  }
}

function mayLeaveSessionState({ leavesSessionState, readOnly }: CallerOptions): boolean {
  return leavesSessionState ?? !readOnly
}

function beginStatement(isolation: Isolation | null): TransactionStatement {
  const text = isolation === null ? 'begin' : `begin isolation level ${isolation}`
  return { text, name: text, raw: true }
}

/**
 * Runs `statements` as the caller in one transaction and one round trip, after the settings. A pipeline is a
 * transaction by itself, so BEGIN is sent only for another isolation level or a ROLLBACK. Statements with a `name`
 * are prepared once for each connection, so a name must always have the same text. No setting of the caller outlives
 * the transaction.
 *
 * Throws the error of the first statement that failed, after the transaction is rolled back. That is a pg
 * `DatabaseError` if the database refused it. Also throws the errors of the pool and the signal's reason.
 */
export async function runAsCaller(
  pool: Pool,
  o: PipelineOptions,
  statements: TransactionStatement[],
): Promise<QueryResult[]> {
  const { impersonate, isolation, timeoutMs } = await prepareImpersonation(pool, o)
  const before = [impersonate]
  const after: TransactionStatement[] = []
  if (isolation !== null || o.rollback) {
    before.unshift(beginStatement(isolation))
    after.push(o.rollback ? rollback : commit)
  }
  const pipeline = [...before, ...statements, ...after]
  const retained = statements.slice(0, o.retained ?? 0)
  /** Runs the retained statements again. The result of the request does not depend on their success. */
  const retain = async (client: Client): Promise<void> => {
    if (retained.length > 0) await runPipeline(client, [impersonate, ...retained]).catch(() => {})
  }
  const run = async (): Promise<QueryResult[]> => {
    const results = await pool.withClient(
      async (client) => {
        try {
          const all = await runPipeline(client, pipeline, o.admitRow)
          if (o.rollback) await retain(client)
          return all
        } catch (error) {
          const isRetained = resultsBefore(error).length >= before.length + retained.length
          if (isRetained && !isStalePlan(error)) await retain(client)
          throw error
        } finally {
          if (mayLeaveSessionState(o)) resetSession(client)
        }
      },
      o.signal,
      callerKey(o.caller),
      o.readOnly,
      // Each statement has its own timeout.
      timeoutMs === null ? undefined : timeoutMs * pipeline.length + overdueAfterMs,
    )
    return results.slice(before.length, before.length + statements.length)
  }
  try {
    return await run()
  } catch (error) {
    if (!isStalePlan(error)) throw error
    return run()
  }
}

/**
 * Runs a transaction as the caller, for work that needs several round trips. `fn` awaits all its queries and sends no
 * BEGIN, COMMIT or ROLLBACK. Throws the same errors as `runAsCaller`.
 */
export async function transactAsCaller<T>(
  pool: Pool,
  o: CallerOptions,
  fn: (client: Client) => Promise<T>,
): Promise<T> {
  const { impersonate, isolation } = await prepareImpersonation(pool, o)
  return pool.withClient(
    async (client) => {
      // Sent together with the first query of `fn`, which fails too (25P02) where this does.
      const started = Promise.all([
        client.query(beginStatement(isolation).text),
        client.query(impersonate.text, impersonate.values),
      ])
      started.catch(() => {})
      try {
        const result = await fn(client)
        await started
        if (o.rollback) await client.query('rollback')
        else await commitOrThrow(client)
        return result
      } catch (error) {
        await client.query('rollback').catch(() => {})
        await started
        throw error
      } finally {
        if (mayLeaveSessionState(o)) resetSession(client)
      }
    },
    o.signal,
    callerKey(o.caller),
    o.readOnly,
  )
}
