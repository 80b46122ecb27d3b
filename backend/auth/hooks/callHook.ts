import type { Transaction } from '../Transaction.ts'
import { randomUUID } from 'node:crypto'
import type { HookContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { callHttpHook, hookTimeout } from './callHttpHook.ts'
import { callOutside, isInterruption, leaveMainPool } from '../transact.ts'
import { eventNames, type HookName } from '../settings/hookSettings.ts'
import type { HookTarget } from './parseHookTarget.ts'
import type { Hooks } from './createHooks.ts'

interface HookResponse {
  error?: { http_code?: unknown; message?: unknown } | null
  [key: string]: unknown
}

/**
 * Calls a hook; returns null if it is disabled. A PostgreSQL function runs in the transaction `tx`, so
 * that what it writes is committed or rolled back with the action; these transactions have their own
 * connections. An HTTP hook is called while the transaction holds no connection; then the transaction runs
 * again, and the response is used if the event is unchanged, apart from its timestamps.
 * @param tx null outside of a transaction, for HTTP hooks only
 * @param event the payload; `metadata` is added to it
 * @param o.ip the client's IP address; omitted if there is none
 * @throws AuthError with the hook's status and message, or with GoTrue's codes
 */
export async function callHook(
  ctx: HookContext,
  tx: Transaction | null,
  name: HookName,
  event: Record<string, unknown>,
  o: { ip?: string } = {},
): Promise<HookResponse | null> {
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
    return readResponse(await callTarget(ctx.hooks, tx, { name, target, payload, event, ip: o.ip ?? '' }))
  } catch (error) {
    if (isInterruption(error)) throw error
    // Only the reason is logged: URL, payload and response may contain secrets.
    const cause = (error as Error).cause
    const reason = cause instanceof Error ? cause.message : (error as Error).message
    ctx.log.warn('auth.hook_failed', { hook: name, reason })
    throw error
  }
}

async function callTarget(
  hooks: Hooks,
  tx: Transaction | null,
  o: { name: HookName; target: HookTarget; payload: string; event: Record<string, unknown>; ip: string },
): Promise<string | null> {
  const { name, target, payload } = o
  const { limits } = hooks
  if (target.kind === 'unset') {
    const cause = new Error('a variable in its settings is not set')
    throw new AuthError(500, 'unexpected_failure', 'Hook is not configured', { cause })
  }
  if (target.kind === 'function') {
    leaveMainPool(tx!, hooks.poolOf(name)!)
    return callFunctionHook(tx!, target, payload, limits.functionTimeout)
  }
  return callOutside(tx, `${name} ${identify(o.event)}`, async () => {
    const signal = AbortSignal.timeout(limits.timeout)
    const slots = hooks.slotsOf(name)!
    try {
      return await slots.run({ client: o.ip, signal }, () => callHttpHook(target, payload, limits, signal))
    } catch (error) {
      throw error instanceof AuthError && error.status === 408 ? hookTimeout(limits, error) : error
    }
  })
}

/** Keys of events whose values differ each time, whatever the event is about. */
const volatileKeys = /_at$|^(iat|exp|timestamp|identity_id)$/

/** Identifies an event by the values that are equal in two runs of a transaction. */
function identify(event: Record<string, unknown>): string {
  return JSON.stringify(event, (key, value: unknown) => (volatileKeys.test(key) ? undefined : value))
}

/** @throws AuthError if the hook rejects the request */
function readResponse(text: string | null): HookResponse {
  if (text === null) return {}
  let response: unknown
  try {
    response = JSON.parse(text)
  } catch {
    response = undefined
  }
  if (response === null) return {}
  if (typeof response !== 'object' || Array.isArray(response)) {
    throw new AuthError(500, 'unexpected_failure', 'Error unmarshaling JSON output.')
  }
  const hookError = (response as HookResponse).error
  if (hookError && typeof hookError.message === 'string' && hookError.message !== '') {
    // Hosted Supabase ignores an error whose code is a string, and uses any number as the status, even 200.
    const status = Number(hookError.http_code)
    const isErrorStatus = Number.isInteger(status) && status >= 400 && status <= 599
    throw new AuthError(isErrorStatus ? status : 500, '', hookError.message)
  }
  return response as HookResponse
}

/**
 * Calls a PostgreSQL function as supabase_auth_admin in the transaction `tx`, so that what it writes is
 * committed or rolled back with the action.
 * @param payload the event as JSON
 * @param timeout in ms
 * @returns the JSON of its result; null for null
 * @throws AuthError 500 if it fails
 */
async function callFunctionHook(
  tx: Transaction,
  target: HookTarget & { kind: 'function' },
  payload: string,
  timeout: number,
): Promise<string | null> {
  try {
    await tx.query(`set local statement_timeout to ${timeout}`)
    const { rows } = await tx.query<{ result: string | null }>(
      `select ${target.sqlName}($1)::text as result`,
      [payload],
    )
    await tx.query('set local statement_timeout to default')
    return rows[0]?.result ?? null
  } catch (error) {
    throw new AuthError(500, 'unexpected_failure', `Error running hook URI: ${target.uri}`, { cause: error })
  }
}
