import { done, type Outcome } from '../failures/failures.ts'
import { askAuth, takeOver } from '../client/requestAuth.ts'
import { createKey, showKey, type CreationJson, type RequestJson } from './credentials.ts'

/** A key that signs in by itself. */
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
  return askAuth('passkeys')
}

/** Makes a passkey in this device or one held to it. */
export async function addPasskey(): Promise<Outcome<Passkey>> {
  const begun = await askAuth<Begun<CreationJson>>('passkeys/registration/options', {
    method: 'POST',
    body: {},
  })
  if (!begun.ok) return begun
  const key = await createKey(begun.value.options)
  if (!key.ok) return key
  const body = { challenge_id: begun.value.challenge_id, credential: key.value }
  return askAuth('passkeys/registration/verify', { method: 'POST', body })
}

export async function renamePasskey(id: string, name: string): Promise<Outcome> {
  const answer = await askAuth(`passkeys/${id}`, { method: 'PATCH', body: { friendly_name: name } })
  return answer.ok ? done(undefined) : answer
}

export async function removePasskey(id: string): Promise<Outcome> {
  const answer = await askAuth(`passkeys/${id}`, { method: 'DELETE' })
  return answer.ok ? done(undefined) : answer
}

/**
 * Signs in with a passkey. `waiting`: the browser offers it in the address field, until `signal` ends that; answers a
 * failure at once where the browser can't.
 */
export async function signInWithPasskey(
  how: { waiting?: boolean; signal?: AbortSignal } = {},
): Promise<Outcome> {
  const begun = await askAuth<Begun<RequestJson>>('passkeys/authentication/options', {
    method: 'POST',
    body: {},
  })
  if (!begun.ok) return begun
  const key = await showKey(begun.value.options, how)
  if (!key.ok) return key
  const body = { challenge_id: begun.value.challenge_id, credential: key.value }
  const answer = await askAuth<{ refresh_token: string }>('passkeys/authentication/verify', {
    method: 'POST',
    body,
  })
  return answer.ok ? takeOver(answer.value) : answer
}
