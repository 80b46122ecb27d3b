import type pg from 'pg'
import type { Caller } from '../../wire/claims.ts'
import type { Pool } from './pool.ts'

export interface CallerOptions {
  caller: Caller
  /** Transaction-local settings, such as `request.headers`. */
  settings?: Record<string, string>
  readOnly?: boolean
  /** Ends with ROLLBACK although all went well: a trial. */
  rollback?: boolean
  signal?: AbortSignal
}

function impersonation(o: CallerOptions): pg.QueryConfig {
  const pairs = [
    ['role', o.caller.role],
    ['request.jwt.claims', o.caller.claimsJson],
    ...Object.entries(o.settings ?? {}),
  ]
  return {
    text: `select ${pairs.map((_, i) => `set_config($${i * 2 + 1}, $${i * 2 + 2}, true)`).join(', ')}`,
    values: pairs.flat(),
    name: `as_caller_${pairs.length}`,
  }
}

/**
 * Runs `statements` as the caller in one transaction and one round trip.
 * Throws the first error (a pg.DatabaseError where the database refused).
 */
export async function asCaller(
  pool: Pool,
  o: CallerOptions,
  statements: pg.QueryConfig[],
): Promise<pg.QueryResult[]> {
  return pool.withClient(async (client) => {
    const settled = await Promise.allSettled([
      client.query(o.readOnly ? 'begin read only' : 'begin'),
      client.query(impersonation(o)),
      ...statements.map((statement) => client.query(statement)),
      client.query(o.rollback ? 'rollback' : 'commit'),
    ])
    const failed = settled.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
    return settled.slice(2, -1).map((one) => (one as PromiseFulfilledResult<pg.QueryResult>).value)
  }, o.signal)
}

/** A transaction as the caller for work that needs several trips; `fn` must not end the transaction. */
export async function asCallerInteractive<T>(
  pool: Pool,
  o: CallerOptions,
  fn: (client: pg.Client) => Promise<T>,
): Promise<T> {
  return pool.withClient(async (client) => {
    const started = Promise.all([
      client.query(o.readOnly ? 'begin read only' : 'begin'),
      client.query(impersonation(o)),
    ])
    try {
      await started
      const result = await fn(client)
      await client.query(o.rollback ? 'rollback' : 'commit')
      return result
    } catch (error) {
      await client.query('rollback').catch(() => {})
      throw error
    }
  }, o.signal)
}
