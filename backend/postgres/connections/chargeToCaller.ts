import { currentCallerKey } from '../../budgets/currentCallerKey.ts'
import type { Pool } from './pool.ts'

/** The same pool, whose use during a request counts against the shares of that request's caller (`currentCallerKey`). */
export function chargeToCaller(pool: Pool): Pool {
  const withClient: Pool['withClient'] = (
    fn,
    signal,
    caller = currentCallerKey.getStore(),
    readOnly?: boolean,
    maxMs?: number,
  ) => pool.withClient(fn, signal, caller, readOnly, maxMs)
  return {
    ...pool,
    withClient,
    query: (query, values) => withClient((client) => client.query(query as string, values)),
    transaction: (fn, signal, caller = currentCallerKey.getStore()) => pool.transaction(fn, signal, caller),
  }
}
