import { done, failureNamed, type Outcome } from '../failures/failures.ts'
import { askAuth, renewSession, takeOver } from '../client/requestAuth.ts'
import { createKey, showKey, type CreationJson, type RequestJson } from './credentials.ts'
import { readAccount, type FactorType } from './ownAccount.ts'

/** A factor of an authenticator app, to be told to the app. */
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
async function enrol(type: FactorType, name: string, more: object): Promise<Outcome<Enrolled>> {
  const account = await readAccount()
  if (!account.ok) return account
  for (const factor of account.value.factors) {
    if (factor.status === 'unverified') await askAuth(`factors/${factor.id}`, { method: 'DELETE' })
  }
  return askAuth('factors', { method: 'POST', body: { factor_type: type, friendly_name: name, ...more } })
}

/** Begins a factor for an authenticator app; it counts once a code of it was entered. */
export async function enrolTotp(name: string): Promise<Outcome<NewTotp>> {
  const answer = await enrol('totp', name, { issuer: 'Linnet' })
  if (!answer.ok) return answer
  const { id, totp } = answer.value
  if (!totp) return { ok: false, failure: failureNamed('network') }
  return done({ id, uri: totp.uri, picture: totp.qr_code, secret: totp.secret })
}

/** Begins a factor of a phone number (E.164); answers its id. A code is sent by `challengeFactor`. */
export async function enrolPhone(name: string, phone: string): Promise<Outcome<string>> {
  const answer = await enrol('phone', name, { phone })
  return answer.ok ? done(answer.value.id) : answer
}

/** Adds a key as a second step: this device, or one held to it. */
export async function addKeyFactor(name: string): Promise<Outcome> {
  const answer = await enrol('webauthn', name, {})
  return answer.ok ? showKeyFactor(answer.value.id) : answer
}

/** Asks to show a factor; sends the code where it is a phone's. Answers the challenge's id. */
export async function challengeFactor(id: string): Promise<Outcome<string>> {
  const answer = await askAuth<Challenge>(`factors/${id}/challenge`, { method: 'POST', body: {} })
  return answer.ok ? done(answer.value.id) : answer
}

/** Shows a factor by its code, of which digits count. The session has shown it from then on. */
export async function enterFactorCode(id: string, challenge: string | null, code: string): Promise<Outcome> {
  let asked = challenge
  if (asked === null) {
    const answer = await challengeFactor(id)
    if (!answer.ok) return answer
    asked = answer.value
  }
  return verify(id, { challenge_id: asked, code })
}

/** Shows a key, or makes it where its factor was just begun. */
export async function showKeyFactor(id: string): Promise<Outcome> {
  const site = { rpId: location.hostname, rpOrigins: [location.origin] }
  const answer = await askAuth<Challenge>(`factors/${id}/challenge`, {
    method: 'POST',
    body: { webauthn: site },
  })
  if (!answer.ok) return answer
  const { webauthn } = answer.value
  if (!webauthn) return { ok: false, failure: failureNamed('network') }
  const key =
    webauthn.type === 'create'
      ? await createKey(webauthn.credential_options.publicKey)
      : await showKey(webauthn.credential_options.publicKey)
  if (!key.ok) return key
  return verify(id, {
    challenge_id: answer.value.id,
    webauthn: { ...site, type: webauthn.type, credential_response: key.value },
  })
}

async function verify(id: string, body: object): Promise<Outcome> {
  const answer = await askAuth<{ refresh_token: string }>(`factors/${id}/verify`, { method: 'POST', body })
  return answer.ok ? takeOver(answer.value) : answer
}

/** Removes a factor; a session that has shown one is needed for one that counts. */
export async function removeFactor(id: string): Promise<Outcome> {
  const answer = await askAuth(`factors/${id}`, { method: 'DELETE' })
  // The session knows of the factor until it is renewed, and would ask for it.
  return answer.ok ? renewSession() : answer
}
