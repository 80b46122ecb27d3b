import { success, type Outcome } from '../failures/failures.ts'
import { requestAuth, adoptSession } from '../client/requestAuth.ts'
import { createCredential, getCredential, type CreationJson, type RequestJson } from './credentials.ts'

/** A key that signs in without another factor. */
export interface Passkey {
  id: string
  friendly_name?: string
  created_at: string
  last_used_at?: string
}

interface Begun<O> {
  challenge_id: string
  options: O
}

export function listPasskeys(): Promise<Outcome<Passkey[]>> {
  return requestAuth('passkeys')
}

/** Creates a passkey on this device or a security key. */
export async function addPasskey(): Promise<Outcome<Passkey>> {
  const begun = await requestAuth<Begun<CreationJson>>('passkeys/registration/options', {
    method: 'POST',
    body: {},
  })
  if (!begun.ok) return begun
  const key = await createCredential(begun.value.options)
  if (!key.ok) return key
  const body = { challenge_id: begun.value.challenge_id, credential: key.value }
  return requestAuth('passkeys/registration/verify', { method: 'POST', body })
}

export async function renamePasskey(id: string, name: string): Promise<Outcome> {
  const response = await requestAuth(`passkeys/${id}`, { method: 'PATCH', body: { friendly_name: name } })
  return response.ok ? success(undefined) : response
}

export async function removePasskey(id: string): Promise<Outcome> {
  const response = await requestAuth(`passkeys/${id}`, { method: 'DELETE' })
  return response.ok ? success(undefined) : response
}

/**
 * Signs in with a passkey. `waiting`: the browser offers it in the autofill of the address field, until `signal` is
 * aborted; fails at once if the browser does not support that.
 */
export async function signInWithPasskey(
  options: { conditional?: boolean; signal?: AbortSignal } = {},
): Promise<Outcome> {
  const begun = await requestAuth<Begun<RequestJson>>('passkeys/authentication/options', {
    method: 'POST',
    body: {},
  })
  if (!begun.ok) return begun
  const key = await getCredential(begun.value.options, options)
  if (!key.ok) return key
  const body = { challenge_id: begun.value.challenge_id, credential: key.value }
  const response = await requestAuth<{ refresh_token: string }>('passkeys/authentication/verify', {
    method: 'POST',
    body,
  })
  return response.ok ? adoptSession(response.value) : response
}
