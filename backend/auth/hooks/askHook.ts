import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Log } from '../../log/log.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../asking/AuthError.ts'
import { eventNames, type HookName } from './hookNames.ts'

/** How long a hook may take, in ms, as on hosted. */
const hookTimeout = 2_000

export interface HookAnswer {
  error?: { http_code?: unknown; message?: unknown } | null
  [key: string]: unknown
}

/**
 * Asks a hook; null where it is off. A Postgres function runs inside the transaction of `client`, so that what it
 * reads and writes stands or falls with the deed itself.
 * @param event what the hook is told, beside `metadata`, which is added where `ip` is given
 * @throws AuthError with the status and sentence that the hook answered, or 500 when it failed
 */
export async function askHook(
  ctx: AuthContext,
  client: pg.Client,
  name: HookName,
  event: Record<string, unknown>,
  o: { ip?: string } = {},
): Promise<HookAnswer | null> {
  const called = ctx.settings.hooks[name]
  if (!called) return null
  const metadata = {
    uuid: randomUUID(),
    time: new Date().toISOString(),
    name: eventNames[name],
    ip_address: o.ip ?? '',
  }
  return runHook(client, called, o.ip === undefined ? event : { metadata, ...event }, ctx.log)
}

/**
 * Calls a Postgres function as supabase_auth_admin inside the transaction of `client`, so that what it
 * reads and writes stands or falls with the account.
 * @param called schema and function, quoted, from parseHookUri
 * @throws AuthError with the status and sentence that the hook answered, or 500 when it failed
 */
async function runHook(
  client: pg.Client,
  called: string,
  event: Record<string, unknown>,
  log: Log,
): Promise<HookAnswer> {
  let answer: HookAnswer | null
  try {
    await client.query(`set local statement_timeout to ${hookTimeout}`)
    const { rows } = await client.query<{ answer: string | null }>(`select ${called}($1)::text as answer`, [
      JSON.stringify(event),
    ])
    await client.query('set local statement_timeout to default')
    answer = rows[0]?.answer ? (JSON.parse(rows[0].answer) as HookAnswer) : null
  } catch (error) {
    log.error('auth.hook_failed', { hook: called, reason: (error as Error).message })
    const message = `Error running hook URI: pg-functions://postgres/${called.replaceAll('"', '').replace('.', '/')}`
    throw new AuthError(500, 'unexpected_failure', message, { cause: error })
  }
  const refusal = answer?.error
  if (refusal && typeof refusal.message === 'string' && refusal.message !== '') {
    const status = Number(refusal.http_code)
    throw new AuthError(
      Number.isInteger(status) && status >= 400 && status <= 599 ? status : 500,
      '',
      refusal.message,
    )
  }
  return answer ?? {}
}
