import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../asking/AuthError.ts'
import { callFunctionHook } from './callFunctionHook.ts'
import { callHttpHook } from './callHttpHook.ts'
import { eventNames, type HookName } from './hookNames.ts'

export interface HookAnswer {
  error?: { http_code?: unknown; message?: unknown } | null
  [key: string]: unknown
}

/**
 * Asks a hook; null where it is off. A Postgres function runs inside the transaction of `client`, so that what it
 * reads and writes stands or falls with the deed itself. An HTTP hook is waited for within that transaction too, for
 * 5 s at most with all its retries: ask before locking more than the one person's rows.
 * @param event what the hook is told, beside `metadata`, which is added
 * @param o.ip whose request it is; left out where nobody's
 * @throws AuthError with the status and sentence that the hook answered, else by the contract's codes
 */
export async function askHook(
  ctx: AuthContext,
  client: pg.Client,
  name: HookName,
  event: Record<string, unknown>,
  o: { ip?: string } = {},
): Promise<HookAnswer | null> {
  const target = ctx.settings.hooks[name]
  if (!target) return null
  const metadata = {
    uuid: randomUUID(),
    time: new Date().toISOString(),
    name: eventNames[name],
    ...(o.ip ? { ip_address: o.ip } : {}),
  }
  const payload = JSON.stringify({ metadata, ...event })
  try {
    const answer =
      target.kind === 'function'
        ? await callFunctionHook(client, target, payload)
        : await callHttpHook(target, payload, ctx.hookLimits)
    return readAnswer(answer)
  } catch (error) {
    // What was asked and answered may be a secret; where it was asked may hold one too.
    const cause = (error as Error).cause
    const reason = cause instanceof Error ? cause.message : (error as Error).message
    ctx.log.warn('auth.hook_failed', { hook: name, reason })
    throw error
  }
}

/** @throws AuthError where the hook refuses */
function readAnswer(text: string | null): HookAnswer {
  if (text === null) return {}
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    answer = undefined
  }
  if (answer === null) return {}
  if (typeof answer !== 'object' || Array.isArray(answer)) {
    throw new AuthError(500, 'unexpected_failure', 'Error unmarshaling JSON output.')
  }
  const refusal = (answer as HookAnswer).error
  if (refusal && typeof refusal.message === 'string' && refusal.message !== '') {
    // Hosted lets a refusal pass whose code is a text, and answers a code such as 200 with that very status.
    const status = Number(refusal.http_code)
    const stands = Number.isInteger(status) && status >= 400 && status <= 599
    throw new AuthError(stands ? status : 500, '', refusal.message)
  }
  return answer as HookAnswer
}
