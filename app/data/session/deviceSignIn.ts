import type { Commands } from '../../../wire/commands.ts'
import { ownSessions } from '../account/ownSessions.ts'
import { callCommand } from '../client/callCommand.ts'
import { loadSettings } from '../client/settings.ts'
import { attempt, createFailure, success, withoutValue, type Outcome } from '../failures/failures.ts'
import '../failures/joiningFailures.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'

/** The device that has used a code; null fields: none has yet. */
export type WaitingDevice = Commands['view_sign_in_code']['response']

/** A code that signs another device in to this account within two minutes. Each fetch ends the code before. */
export const signInCode = createQuery({ fetch: () => callCommand('create_sign_in_code', {}) })

export function viewSignInCode(id: string): Promise<Outcome<WaitingDevice>> {
  return callCommand('view_sign_in_code', { id })
}

/** Lets the device with this number sign in. */
export async function approveDevice(id: string, number: number): Promise<Outcome> {
  return withoutValue(refetchAfter(await callCommand('approve_device', { id, number }), ownSessions))
}

/** Ends a code. */
export async function refuseDevice(id: string): Promise<Outcome> {
  return withoutValue(await callCommand('refuse_device', { id }))
}

/** The address that the QR code of a code contains. The fragment never reaches a server. */
export const deviceUrl = (code: string): string => `${location.origin}/device#${code}`

/** Uses the code of another device: the token to sign in with, and the number to display meanwhile. */
export function claimSignIn(code: string): Promise<Outcome<{ claim: string; number: number }>> {
  return post({ code, device: navigator.userAgent })
}

/** The hash that `confirmLink` takes, once; null while the other device hasn't approved. */
export function takeSignIn(claim: string): Promise<Outcome<{ token_hash: string | null }>> {
  return post({ claim })
}

/** Timeout (ms) of a request; the function may be starting. */
const TIMEOUT_MS = 20_000

function post<T>(body: object): Promise<Outcome<T>> {
  return attempt(async () => {
    const { url, key } = await loadSettings()
    const response = await fetch(`${url}/functions/v1/device-sign-in`, {
      method: 'POST',
      headers: { apikey: key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.ok) return success((await response.json()) as T)
    return {
      ok: false,
      failure: createFailure(response.status === 404 ? 'sign_in_code_expired' : 'network'),
    }
  })
}
