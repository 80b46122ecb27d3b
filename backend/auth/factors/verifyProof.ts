import type { Transaction } from '../Transaction.ts'
import { timingSafeEqual } from 'node:crypto'
import type { AuthContext, RelyingPartyContext, SmsContext } from '../AuthContext.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import { verifyAssertion, verifyCreation, readRelyingParty, toUserHandle } from '../passkeys/ceremony.ts'
import { parseAssertion, parseCreation, type Credential } from '../passkeys/credential.ts'
import { hashCode } from '../rows/oneTimeToken.ts'
import type { UserRow } from '../rows/user.ts'
import { callOutside } from '../transact.ts'
import { isUsedStep, type Challenge } from './challenge.ts'
import type { Factor } from './factor.ts'
import { fromStoredCredential } from './storedCredential.ts'
import { stepOfCode } from './totp.ts'
import type { Logger } from '../../logging/logger.ts'

/** The proof in a request: a code, or the response of an authenticator. */
export interface Proof {
  code: string
  webauthn: { type: 'create' | 'request'; response: Record<string, unknown> } | null
}

/** Whether a proof is valid; with what has to be stored. */
export type VerificationResult =
  | { ok: true; step: number | null; credential: Credential | null }
  | { ok: false; error: AuthError }

interface ProofToVerify {
  user: UserRow
  factor: Factor
  challenge: Challenge
  proof: Proof
}

/** Verifies a proof for its challenge. Throws AuthError 400 if it is malformed. */
export async function verifyProof(
  ctx: SmsContext & RelyingPartyContext,
  tx: Transaction,
  o: ProofToVerify,
): Promise<VerificationResult> {
  if (o.factor.type === 'totp') return verifyTotpCode(tx, o)
  return o.factor.type === 'phone' ? verifySmsCode(ctx, tx, o) : verifyWebAuthn(ctx, o)
}

function failed(message: string): VerificationResult {
  return { ok: false, error: new AuthError(422, 'mfa_verification_failed', message) }
}

async function verifyTotpCode(
  tx: Transaction,
  { factor, proof }: ProofToVerify,
): Promise<VerificationResult> {
  const step = stepOfCode(factor.secret ?? '', proof.code, Date.now())
  if (step === null || (await isUsedStep(tx, factor.id, step))) {
    return failed('Invalid TOTP code entered')
  }
  return { ok: true, step, credential: null }
}

async function verifySmsCode(
  ctx: SmsContext,
  tx: Transaction,
  { factor, challenge, proof }: ProofToVerify,
): Promise<VerificationResult> {
  const phone = factor.phone ?? ''
  const { provider } = ctx.sms
  const usesProvider = provider?.verify && !ctx.settings.hooks.send_sms
  if (usesProvider && !ctx.settings.sms.testCodes.has(phone)) {
    // The SMS provider created the code, and only it can verify it.
    const check = (): Promise<boolean> => provider.verify!(phone, proof.code)
    if (await callOutside(tx, `check ${phone} ${proof.code}`, check))
      return { ok: true, step: null, credential: null }
    const message = 'Token has expired or is invalid'
    return { ok: false, error: new AuthError(403, 'otp_expired', message) }
  }
  const given = Buffer.from(hashCode(ctx.keys, phone, proof.code))
  const expected = Buffer.from(challenge.codeHash ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
    ? { ok: true, step: null, credential: null }
    : failed('Invalid MFA Phone code entered')
}

/**
 * The response must be of the type that was requested, by the factor's own key, and a factor gets its key once:
 * a pending challenge for a new key must not replace it. (Hosted Supabase accepts a new key as response to a
 * request for a signature, and the signature of any factor for any other.)
 */
async function verifyWebAuthn(
  ctx: RelyingPartyContext & Pick<AuthContext, 'log'>,
  o: ProofToVerify,
): Promise<VerificationResult> {
  const { user, factor, proof } = o
  const ceremony = o.challenge.ceremony
  const { type, response } = proof.webauthn!
  if (ceremony?.type !== type || (type === 'create') === factor.verified) {
    return rejectKey(ctx.log, factor, 'the response is not of the requested type')
  }
  const { challenge } = ceremony
  const party = readRelyingParty(ctx)
  if (type === 'create') {
    const read = parseCreation(response)
    if (!read) throw malformedResponse()
    const credential = await verifyCreation(party, { challenge, ...read })
    if ('reason' in credential) return rejectKey(ctx.log, factor, credential.reason)
    return { ok: true, step: null, credential }
  }
  const read = parseAssertion(response)
  if (!read) throw malformedResponse()
  const stored = fromStoredCredential(factor.credential)
  if (!stored) return rejectKey(ctx.log, factor, 'the factor has no key')
  const { userHandle } = read.response
  if (userHandle !== undefined && userHandle !== toUserHandle(user)) {
    return rejectKey(ctx.log, factor, 'the key of another user')
  }
  const credential = await verifyAssertion(party, { challenge, response: read, credential: stored })
  if ('reason' in credential) return rejectKey(ctx.log, factor, credential.reason)
  return { ok: true, step: null, credential }
}

function malformedResponse(): AuthError {
  return invalid('Invalid credential_response')
}

/** The reason is only logged: the client receives only that verification failed. (Hosted Supabase responds with 500.) */
function rejectKey(log: Logger, factor: Factor, reason: string): VerificationResult {
  log.info('auth.webauthn_key_rejected', { factor: factor.id, reason })
  const message = 'Credential verification failed'
  return { ok: false, error: new AuthError(400, 'webauthn_verification_failed', message) }
}
