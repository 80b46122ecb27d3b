import type { Transaction } from '../Transaction.ts'
import type { RelyingPartyContext, SmsContext, TransactionContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import type { AuthenticatedUser } from '../http/authenticate.ts'
import { writeAudit } from '../audit.ts'
import { checkCooldown } from '../limits/checkCooldown.ts'
import { createCreationOptions, readRelyingParty, createRequestOptions } from '../passkeys/ceremony.ts'
import { lockUser } from '../rows/findUser.ts'
import { hashCode } from '../rows/oneTimeToken.ts'
import type { UserRow } from '../rows/user.ts'
import { lockSession } from '../sessions/upgradeSession.ts'
import { checkSmsChannel, createSmsCode, sendSms } from '../sms/sendSms.ts'
import { transact } from '../transact.ts'
import { storeChallenge } from './challenge.ts'
import { findFactor, listFactors, type Factor } from './factor.ts'
import { fromStoredCredential } from './storedCredential.ts'

interface ChallengeContext {
  tx: Transaction
  user: UserRow
  factor: Factor
  ip: string
}

/**
 * Creates a challenge for a factor: the code of an authenticator app, a code that is sent to a phone, or a key
 * or signature of an authenticator. Returns the response for the client.
 * @param o.channel the channel of text messages that the request names
 */
export async function challengeFactor(
  ctx: TransactionContext & SmsContext & RelyingPartyContext,
  o: { me: AuthenticatedUser; factorId: string; channel: string | undefined; ip: string },
): Promise<Record<string, unknown>> {
  return transact(ctx, async (tx) => {
    const { user, factor } = await lockFactor(tx, o.me, o.factorId)
    const context = { tx, user, factor, ip: o.ip }
    const { challenge, ...more } = await createChallenge(ctx, context, o.channel)
    // Hosted Supabase does not log challenges of WebAuthn.
    await writeAudit(tx, user, 'challenge_created', o.ip, {
      factor_id: factor.id,
      factor_status: factor.verified ? 'verified' : 'unverified',
    })
    return { id: challenge.id, type: factor.type, expires_at: challenge.expiresAt, ...more }
  })
}

/**
 * Finds a factor of the user. User and session are locked, so that the state of both cannot change.
 *
 * An unverified factor cannot upgrade a session if the user has a verified one: someone who stole the password
 * could have enrolled it. (Hosted Supabase accepts it.)
 * @throws AuthError 403 user_not_found, session_not_found, insufficient_aal, 404 mfa_factor_not_found
 */
export async function lockFactor(
  tx: Transaction,
  me: AuthenticatedUser,
  factorId: string,
): Promise<{ user: UserRow; factor: Factor; sessionId: string; isAal2: boolean }> {
  const user = await lockUser(tx, me.user.id)
  if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  const session = await lockSession(tx, user.id, me.session?.id)
  const factor = await findFactor(tx, user.id, factorId)
  if (!factor) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
  if (!factor.verified && !session.isAal2) {
    const others = await listFactors(tx, user.id)
    if (others.some((other) => other.verified)) {
      throw new AuthError(403, 'insufficient_aal', 'AAL2 required to enroll a new factor')
    }
  }
  return { user, factor, sessionId: session.id, isAal2: session.isAal2 }
}

async function createChallenge(
  ctx: SmsContext & RelyingPartyContext,
  context: ChallengeContext,
  channel: string | undefined,
) {
  const { tx, factor, ip } = context
  if (factor.type === 'totp') {
    return { challenge: await storeChallenge(tx, { factorId: factor.id, ip }) }
  }
  return factor.type === 'phone'
    ? createSmsChallenge(ctx, context, channel)
    : createWebAuthnChallenge(ctx, context)
}

async function createSmsChallenge(
  ctx: SmsContext,
  context: ChallengeContext,
  channelName: string | undefined,
) {
  const { tx, factor, user, ip } = context
  const channel = checkSmsChannel(ctx, channelName)
  const { cooldownMs, otpLength, template } = ctx.settings.factors.phone
  const lastChallengedAt = factor.lastChallengedAt
  checkCooldown('sms', lastChallengedAt === null ? null : new Date(lastChallengedAt), cooldownMs)
  const phone = factor.phone ?? ''
  const code = createSmsCode(ctx.settings, tx, phone, otpLength)
  const message = template({ Code: code })
  const codeHash = hashCode(ctx.keys, phone, code)
  const challenge = await storeChallenge(tx, { factorId: factor.id, ip, codeHash })
  await sendSms(ctx, tx, { user, phone, code, message, channel, type: 'mfa', ip })
  return { challenge }
}

async function createWebAuthnChallenge(ctx: RelyingPartyContext, context: ChallengeContext) {
  const { tx, factor, user, ip } = context
  const party = readRelyingParty(ctx)
  const type = factor.verified ? ('request' as const) : ('create' as const)
  const options = factor.verified
    ? await createRequestOptions(party, withoutNulls([fromStoredCredential(factor.credential)]))
    : await createCreationOptions(party, {
        user,
        existing: withoutNulls(
          (await listFactors(tx, user.id)).map((other) => fromStoredCredential(other.credential)),
        ),
        discoverable: false,
      })
  const ceremony = { type, challenge: options.challenge, rpId: party.id }
  const challenge = await storeChallenge(tx, { factorId: factor.id, ip, ceremony })
  return { challenge, webauthn: { type, credential_options: { publicKey: options } } }
}

function withoutNulls<T>(values: (T | null)[]): T[] {
  return values.filter((value) => value !== null)
}
