import { success, createFailure, type Outcome } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'
import { getClientSession } from '../session/clientSession.ts'
import { requestAuth, refreshSession, adoptSession } from '../client/requestAuth.ts'
import { createCredential, getCredential, type CreationJson, type RequestJson } from './credentials.ts'
import { fetchAccount, refetchAccountAfter, type FactorType } from './ownAccount.ts'

/** A new factor for an authenticator app, with the secret that the app needs. */
export interface NewTotp {
  id: string
  /** The URI in the QR code, `otpauth://…`. */
  uri: string
  /** The QR code as SVG. */
  picture: string
  /** The secret for typing, base32. */
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

/**
 * Enrolls a factor. Unverified factors are removed first, since names are unique. One that another page enrolls in the
 * meantime is refused with a conflict, and removed by the second attempt.
 */
async function enroll(type: FactorType, name: string, more: object): Promise<Outcome<Enrolled>> {
  const outcome = await replaceUnverified(type, name, more)
  const isConflict = !outcome.ok && outcome.failure.name === 'mfa_factor_name_conflict'
  return isConflict ? replaceUnverified(type, name, more) : outcome
}

async function replaceUnverified(type: FactorType, name: string, more: object): Promise<Outcome<Enrolled>> {
  const account = await fetchAccount()
  if (!account.ok) return account
  for (const factor of account.value.factors) {
    if (factor.status === 'unverified') await requestAuth(`factors/${factor.id}`, { method: 'DELETE' })
  }
  return requestAuth('factors', { method: 'POST', body: { factor_type: type, friendly_name: name, ...more } })
}

/** Enrolls an authenticator app; it is active once a code was entered. */
async function enrollTotp(name: string): Promise<Outcome<NewTotp>> {
  const response = await enroll('totp', name, { issuer: 'Linnet' })
  if (!response.ok) return response
  const { id, totp } = response.value
  if (!totp) return { ok: false, failure: createFailure('network') }
  return success({ id, uri: totp.uri, picture: totp.qr_code, secret: totp.secret })
}

/** The enrolment of an authenticator app with this name, which begins when it is shown. */
export const newTotp = createQuery({ fetch: enrollTotp })

/** Enrolls a phone number (E.164); the value is the factor's id. `challengeFactor` sends a code. */
export async function enrollPhone(name: string, phone: string): Promise<Outcome<string>> {
  const response = await enroll('phone', name, { phone })
  return response.ok ? success(response.value.id) : response
}

/** Adds a key as a second factor: this device or a security key. */
export async function addWebAuthnFactor(name: string): Promise<Outcome> {
  const response = await enroll('webauthn', name, {})
  return response.ok ? verifyWebAuthnFactor(response.value.id) : response
}

/** Creates a challenge of a factor; sends the code if it is a phone. The value is the challenge's id. */
export async function challengeFactor(id: string): Promise<Outcome<string>> {
  const response = await requestAuth<Challenge>(`factors/${id}/challenge`, { method: 'POST', body: {} })
  return response.ok ? success(response.value.id) : response
}

/** Verifies a factor by its code (digits only are used). The session has the second factor from then on. */
export async function verifyFactorCode(id: string, challenge: string | null, code: string): Promise<Outcome> {
  let challengeId = challenge
  if (challengeId === null) {
    const response = await challengeFactor(id)
    if (!response.ok) return response
    challengeId = response.value
  }
  return verify(id, { challenge_id: challengeId, code })
}

/** Verifies a key, or creates it if its factor was just enrolled. */
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
  return response.ok ? refetchAfterFactors(await adoptSession(response.value)) : response
}

/** Removes a factor; an active one requires a session that has verified a factor. */
export async function removeFactor(id: string): Promise<Outcome> {
  const response = await requestAuth(`factors/${id}`, { method: 'DELETE' })
  // Until it is refreshed, the session requires the factor.
  return response.ok ? refetchAfterFactors(await refreshSession()) : response
}

/** Fetches the account and the workspaces again, which may require a second factor. */
function refetchAfterFactors(outcome: Outcome): Outcome {
  getClientSession()?.engine.refresh()
  return refetchAccountAfter(outcome)
}
