import { currentCaller } from '../../budgets/currentCaller.ts'
import type { Pool } from './pool.ts'

/** The same pool; what is done with it during a request is counted under its caller (`currentCaller`). */
export function chargeToCaller(pool: Pool): Pool {
  const withClient: Pool['withClient'] = (fn, signal, caller = currentCaller.getStore()) =>
    pool.withClient(fn, signal, caller)
  return {
    ...pool,
    withClient,
    query: (query, values) => withClient((client) => client.query(query as string, values)),
    transaction: (fn, signal, caller = currentCaller.getStore()) => pool.transaction(fn, signal, caller),
  }
}
