import type pg from 'pg'
import { AuthError } from '../http/AuthError.ts'
import type { HookTarget } from './parseHookTarget.ts'

/**
 * Calls a Postgres function as supabase_auth_admin inside the transaction of `client`, so that what it reads and
 * writes stands or falls with the deed itself.
 * @param payload the event as JSON
 * @param timeout how long it may take, in ms
 * @returns the JSON of its answer; null for null
 * @throws AuthError 500 when it failed
 */
export async function callFunctionHook(
  client: pg.Client,
  target: HookTarget & { kind: 'function' },
  payload: string,
  timeout: number,
): Promise<string | null> {
  try {
    await client.query(`set local statement_timeout to ${timeout}`)
    const { rows } = await client.query<{ answer: string | null }>(
      `select ${target.called}($1)::text as answer`,
      [payload],
    )
    await client.query('set local statement_timeout to default')
    return rows[0]?.answer ?? null
  } catch (error) {
    throw new AuthError(500, 'unexpected_failure', `Error running hook URI: ${target.uri}`, { cause: error })
  }
}
