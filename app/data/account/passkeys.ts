import { withoutValue, type Outcome } from '../failures/failures.ts'
import { requestAuth, adoptSession } from '../client/requestAuth.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'
import type { NewSession } from '../session/offeredSession.ts'
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

/** The passkeys of the account. */
export const passkeyList = createQuery({ fetch: () => requestAuth<Passkey[]>('passkeys') })

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
  return refetchAfter(
    await requestAuth<Passkey>('passkeys/registration/verify', { method: 'POST', body }),
    passkeyList,
  )
}

export async function renamePasskey(id: string, name: string): Promise<Outcome> {
  const body = { friendly_name: name }
  return withoutValue(
    refetchAfter(await requestAuth(`passkeys/${id}`, { method: 'PATCH', body }), passkeyList),
  )
}

export async function removePasskey(id: string): Promise<Outcome> {
  return withoutValue(refetchAfter(await requestAuth(`passkeys/${id}`, { method: 'DELETE' }), passkeyList))
}

interface PasskeyOptions {
  /** The browser offers passkeys in the autofill of the address field only, until `signal` is aborted. */
  conditional?: boolean
  signal?: AbortSignal
}

/** Requests a session by a passkey. It is not stored yet. */
export async function requestPasskeySession(options: PasskeyOptions = {}): Promise<Outcome<NewSession>> {
  const begun = await requestAuth<Begun<RequestJson>>('passkeys/authentication/options', {
    method: 'POST',
    body: {},
  })
  if (!begun.ok) return begun
  const key = await getCredential(begun.value.options, options)
  if (!key.ok) return key
  const body = { challenge_id: begun.value.challenge_id, credential: key.value }
  return requestAuth<NewSession>('passkeys/authentication/verify', { method: 'POST', body })
}

/** Signs in with a passkey; fails at once if it is `conditional` and the browser does not support that. */
export async function signInWithPasskey(options?: PasskeyOptions): Promise<Outcome> {
  const response = await requestPasskeySession(options)
  return response.ok ? adoptSession(response.value) : response
}
