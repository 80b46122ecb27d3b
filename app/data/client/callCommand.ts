import type { CommandName, Commands } from '../../../wire/commands.ts'
import { getClient } from './getClient.ts'
import { success, failureFrom, createFailure } from '../failures/failures.ts'
import { isExpectedResponse } from './isExpectedResponse.ts'
import type { Outcome } from '../failures/failures.ts'

/** Milliseconds until a command is sent again after its connection failed, such as by a change of the network. */
const RESEND_AFTER_MS = 1_000

/**
 * Calls a command (a database function) as the signed-in user. It sends the command once more if its connection
 * failed. It also does so after a refresh if the token was refused, and once the user has authenticated again if the command needs
 * that. Commands are idempotent.
 */
export async function callCommand<N extends CommandName>(
  name: N,
  args: Commands[N]['args'],
): Promise<Outcome<Commands[N]['response']>> {
  try {
    const { rest } = await getClient()
    const send = () => rest.rpc(name, args).retry(false)
    let response = await send()
    if (response.error?.message.startsWith('TypeError') && navigator.onLine) {
      await new Promise((resolve) => setTimeout(resolve, RESEND_AFTER_MS))
      response = await send()
    }
    // The refreshed token shows whether a second factor is required first.
    const lacksSecondFactor = response.error?.message === 'second_factor_missing'
    if ((response.status === 401 || lacksSecondFactor) && (await refreshAccessToken()))
      response = await send()
    if (response.error?.message === 'reauthentication_required') {
      const { reauthenticate } = await import('./reauthentication.ts')
      if (await reauthenticate()) response = await send()
    }
    if (response.error) return { ok: false, failure: failureFrom(response.error, response.status) }
    if (!isExpectedResponse(name, response.data)) return { ok: false, failure: createFailure('network') }
    return success(response.data as Commands[N]['response'])
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}

/** Status codes of a refresh that show that the session has ended. */
const SESSION_ENDED_STATUSES = new Set([400, 401, 403, 404])

/**
 * Refreshes a refused token. Returns false if there is no new token. Signs out if the session has ended on the
 * server.
 */
export async function refreshAccessToken(): Promise<boolean> {
  const client = await getClient()
  const { data } = await client.auth.getSession()
  if (!data.session) return false
  const { data: fresh, error } = await client.auth.refreshSession()
  if (fresh.session) return true
  // Revoked, or signed out on another device.
  if (error?.status !== undefined && SESSION_ENDED_STATUSES.has(error.status)) {
    await client.auth.signOut({ scope: 'local' })
  }
  return false
}
