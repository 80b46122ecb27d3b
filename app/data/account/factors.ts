import { success, createFailure, type Outcome } from '../failures/failures.ts'
import { requestAuth, refreshSession, adoptSession } from '../client/requestAuth.ts'
import { createCredential, getCredential, type CreationJson, type RequestJson } from './credentials.ts'
import { fetchAccount, type FactorType } from './ownAccount.ts'

/** A new factor for an authenticator app, with the secret that the app needs. */
export interface NewTotp {
  id: string
  /** The address that the picture holds, `otpauth://…`. */
  uri: string
  /** The same as an SVG picture. */
  picture: string
  /** For typing, base32. */
  secret: string
}

interface Enrolled {
  id: string
  totp?: { qr_code: string; secret: string; uri: string }
}

interface Challenge {
  id: string
  webauthn?:
    | { type: 'create'; credential_options: { publicKey: CreationJson } }
    | { type: 'request'; credential_options: { publicKey: RequestJson } }
}

/** Begins a factor. What was begun before and never finished would stand in its way, if only by its name, and goes. */
async function enroll(type: FactorType, name: string, more: object): Promise<Outcome<Enrolled>> {
  const account = await fetchAccount()
  if (!account.ok) return account
  for (const factor of account.value.factors) {
    if (factor.status === 'unverified') await requestAuth(`factors/${factor.id}`, { method: 'DELETE' })
  }
  return requestAuth('factors', { method: 'POST', body: { factor_type: type, friendly_name: name, ...more } })
}

/** Begins a factor for an authenticator app; it counts once a code of it was entered. */
export async function enrollTotp(name: string): Promise<Outcome<NewTotp>> {
  const response = await enroll('totp', name, { issuer: 'Linnet' })
  if (!response.ok) return response
  const { id, totp } = response.value
  if (!totp) return { ok: false, failure: createFailure('network') }
  return success({ id, uri: totp.uri, picture: totp.qr_code, secret: totp.secret })
}

/** Begins a factor of a phone number (E.164); answers its id. A code is sent by `challengeFactor`. */
export async function enrollPhone(name: string, phone: string): Promise<Outcome<string>> {
  const response = await enroll('phone', name, { phone })
  return response.ok ? success(response.value.id) : response
}

/** Adds a key as a second step: this device, or one held to it. */
export async function addWebAuthnFactor(name: string): Promise<Outcome> {
  const response = await enroll('webauthn', name, {})
  return response.ok ? verifyWebAuthnFactor(response.value.id) : response
}

/** Asks to show a factor; sends the code where it is a phone's. Answers the challenge's id. */
export async function challengeFactor(id: string): Promise<Outcome<string>> {
  const response = await requestAuth<Challenge>(`factors/${id}/challenge`, { method: 'POST', body: {} })
  return response.ok ? success(response.value.id) : response
}

/** Shows a factor by its code, of which digits count. The session has shown it from then on. */
export async function verifyFactorCode(id: string, challenge: string | null, code: string): Promise<Outcome> {
  let challengeId = challenge
  if (challengeId === null) {
    const response = await challengeFactor(id)
    if (!response.ok) return response
    challengeId = response.value
  }
  return verify(id, { challenge_id: challengeId, code })
}

/** Shows a key, or makes it where its factor was just begun. */
export async function verifyWebAuthnFactor(id: string): Promise<Outcome> {
  const site = { rpId: location.hostname, rpOrigins: [location.origin] }
  const response = await requestAuth<Challenge>(`factors/${id}/challenge`, {
    method: 'POST',
    body: { webauthn: site },
  })
  if (!response.ok) return response
  const { webauthn } = response.value
  if (!webauthn) return { ok: false, failure: createFailure('network') }
  const key =
    webauthn.type === 'create'
      ? await createCredential(webauthn.credential_options.publicKey)
      : await getCredential(webauthn.credential_options.publicKey)
  if (!key.ok) return key
  return verify(id, {
    challenge_id: response.value.id,
    webauthn: { ...site, type: webauthn.type, credential_response: key.value },
  })
}

async function verify(id: string, body: object): Promise<Outcome> {
  const response = await requestAuth<{ refresh_token: string }>(`factors/${id}/verify`, {
    method: 'POST',
    body,
  })
  return response.ok ? adoptSession(response.value) : response
}

/** Removes a factor; a session that has shown one is needed for one that counts. */
export async function removeFactor(id: string): Promise<Outcome> {
  const response = await requestAuth(`factors/${id}`, { method: 'DELETE' })
  // The session knows of the factor until it is renewed, and would ask for it.
  return response.ok ? refreshSession() : response
}
