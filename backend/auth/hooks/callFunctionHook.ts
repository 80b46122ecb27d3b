import type { Transaction } from '../Transaction.ts'
import { AuthError } from '../http/AuthError.ts'
import type { HookTarget } from './parseHookTarget.ts'

/**
 * Calls a PostgreSQL function as supabase_auth_admin in the transaction `tx`, so that what it writes is
 * committed or rolled back with the action.
 * @param payload the event as JSON
 * @param timeout in ms
 * @returns the JSON of its result; null for null
 * @throws AuthError 500 if it fails
 */
export async function callFunctionHook(
  tx: Transaction,
  target: HookTarget & { kind: 'function' },
  payload: string,
  timeout: number,
): Promise<string | null> {
  try {
    await tx.query(`set local statement_timeout to ${timeout}`)
    const { rows } = await tx.query<{ answer: string | null }>(
      `select ${target.sqlName}($1)::text as answer`,
      [payload],
    )
    await tx.query('set local statement_timeout to default')
    return rows[0]?.answer ?? null
  } catch (error) {
    throw new AuthError(500, 'unexpected_failure', `Error running hook URI: ${target.uri}`, { cause: error })
  }
}
