import { timingSafeEqual } from 'node:crypto'
import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { checkAssertion, checkCreation, partyOf, userHandleOf } from '../passkeys/ceremony.ts'
import { readAssertion, readCreation, type Credential } from '../passkeys/credential.ts'
import { hashCode } from '../rows/oneTimeToken.ts'
import type { UserRow } from '../rows/user.ts'
import { callOutside } from '../transact.ts'
import { isSpentStep, type Challenge } from './challenge.ts'
import type { Factor } from './factor.ts'
import { fromStoredCredential } from './storedCredential.ts'
import { stepOfCode } from './totp.ts'

/** The proof in a request: a code, or the response of an authenticator. */
export interface Answer {
  code: string
  webauthn: { type: 'create' | 'request'; response: Record<string, unknown> } | null
}

/** Whether a proof is valid; with what has to be stored. */
export type Proof =
  | { ok: true; step: number | null; credential: Credential | null }
  | { ok: false; refusal: AuthError }

interface Question {
  user: UserRow
  factor: Factor
  challenge: Challenge
  answer: Answer
}

/** Verifies a proof for its challenge. Throws AuthError 400 if it is malformed. */
export async function checkProof(ctx: AuthContext, client: pg.Client, o: Question): Promise<Proof> {
  if (o.factor.type === 'totp') return checkAppCode(client, o)
  return o.factor.type === 'phone' ? checkTextCode(ctx, client, o) : checkKey(ctx, o)
}

function failed(message: string): Proof {
  return { ok: false, refusal: new AuthError(422, 'mfa_verification_failed', message) }
}

async function checkAppCode(client: pg.Client, { factor, answer }: Question): Promise<Proof> {
  const step = stepOfCode(factor.secret ?? '', answer.code, Date.now())
  if (step === null || (await isSpentStep(client, factor.id, step))) {
    return failed('Invalid TOTP code entered')
  }
  return { ok: true, step, credential: null }
}

async function checkTextCode(
  ctx: AuthContext,
  client: pg.Client,
  { factor, challenge, answer }: Question,
): Promise<Proof> {
  const phone = factor.phone ?? ''
  const { service } = ctx.texts
  const byService = service?.check && !ctx.settings.hooks.send_sms
  if (byService && !ctx.settings.sms.testCodes.has(phone)) {
    // The SMS provider created the code, and only it can verify it.
    const check = (): Promise<boolean> => service.check!(phone, answer.code)
    if (await callOutside(client, `check ${phone} ${answer.code}`, check))
      return { ok: true, step: null, credential: null }
    const message = 'Token has expired or is invalid'
    return { ok: false, refusal: new AuthError(403, 'otp_expired', message) }
  }
  const given = Buffer.from(hashCode(ctx.keys, phone, answer.code))
  const wanted = Buffer.from(challenge.codeHash ?? '')
  return given.length === wanted.length && timingSafeEqual(given, wanted)
    ? { ok: true, step: null, credential: null }
    : failed('Invalid MFA Phone code entered')
}

/**
 * The response must be of the type that was requested, by the factor's own key, and a factor gets its key once:
 * a pending challenge for a new key must not replace it. (Hosted Supabase accepts a new key as response to a
 * request for a signature, and the signature of any factor for any other.)
 */
async function checkKey(ctx: AuthContext, o: Question): Promise<Proof> {
  const { user, factor, answer } = o
  const ceremony = o.challenge.ceremony
  const { type, response } = answer.webauthn!
  if (ceremony?.type !== type || (type === 'create') === factor.verified) {
    return refuseKey(ctx, factor, 'not what was asked')
  }
  const { challenge } = ceremony
  const party = partyOf(ctx)
  if (type === 'create') {
    const read = readCreation(response)
    if (!read) throw unreadable()
    const credential = await checkCreation(party, { challenge, ...read })
    if ('reason' in credential) return refuseKey(ctx, factor, credential.reason)
    return { ok: true, step: null, credential }
  }
  const read = readAssertion(response)
  if (!read) throw unreadable()
  const known = fromStoredCredential(factor.credential)
  if (!known) return refuseKey(ctx, factor, 'the factor has no key')
  const { userHandle } = read.response
  if (userHandle !== undefined && userHandle !== userHandleOf(user)) {
    return refuseKey(ctx, factor, "another person's key")
  }
  const credential = await checkAssertion(party, { challenge, answer: read, credential: known })
  if ('reason' in credential) return refuseKey(ctx, factor, credential.reason)
  return { ok: true, step: null, credential }
}

function unreadable(): AuthError {
  return new AuthError(400, 'validation_failed', 'Invalid credential_response')
}

/** The reason is only logged: the client learns that verification failed. (Hosted Supabase answers 500.) */
function refuseKey(ctx: AuthContext, factor: Factor, reason: string): Proof {
  ctx.log.info('auth.key_refused', { factor: factor.id, reason })
  const message = 'Credential verification failed'
  return { ok: false, refusal: new AuthError(400, 'webauthn_verification_failed', message) }
}
