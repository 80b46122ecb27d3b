import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { rejectBannedUser } from '../http/rejectBannedUser.ts'
import { isUuid } from '../http/authenticate.ts'
import { writeAudit } from '../audit.ts'
import { lockUser } from '../rows/findUser.ts'
import { type UserRow } from '../rows/user.ts'
import { issueSession, type ClientInfo, type SessionResponse } from '../sessions/sessions.ts'
import { transact } from '../transact.ts'
import { checkAssertion, partyOf, requestOptions } from './ceremony.ts'
import { readAssertion, type AssertionAnswer } from './credential.ts'
import { lockPasskey, touchPasskey } from './passkey.ts'
import { storePasskeyChallenge, takePasskeyChallenge } from './passkeyChallenge.ts'
import { unverified } from './registerPasskey.ts'

/** Creates the options for a sign-in with any passkey of the authenticator. */
export async function beginSignIn(ctx: AuthContext): Promise<Record<string, unknown>> {
  const party = partyOf(ctx)
  const options = await requestOptions(party, [])
  const kept = await storePasskeyChallenge(ctx.pool, {
    userId: null,
    purpose: 'authentication',
    challenge: options.challenge,
    rpId: party.id,
  })
  return { challenge_id: kept.challenge_id, options, expires_at: kept.expires_at }
}

/**
 * Signs in the owner of the passkey that signed the challenge.
 * @throws AuthError 400 webauthn_challenge_not_found, webauthn_challenge_expired, webauthn_verification_failed
 *   (also for unknown keys); 403 email_not_confirmed, phone_not_confirmed, user_banned
 */
export async function finishSignIn(
  ctx: AuthContext,
  o: { challengeId: string; credential: Record<string, unknown>; origin: ClientInfo },
): Promise<SessionResponse> {
  const taken = { id: o.challengeId, userId: null, purpose: 'authentication' } as const
  const challenge = await takePasskeyChallenge(ctx.pool, taken)
  const answer = readAssertion(o.credential)
  if (!answer) throw unverified('Invalid credential response')
  const refuse = (reason: string): AuthError => {
    ctx.log.info('auth.passkey_refused', { reason })
    return unverified('Credential verification failed')
  }
  const userId = personOf(answer)
  if (userId === null) throw refuse('the response names no user')
  return transact(ctx, async (client) => {
    const user = await lockUser(client, userId)
    const passkey = user && (await lockPasskey(client, answer.id))
    if (!user || passkey?.userId !== user.id) throw refuse('the key is unknown')
    const used = await checkAssertion(partyOf(ctx), { challenge, answer, credential: passkey })
    if ('reason' in used) throw refuse(used.reason)
    checkAdmissible(user)
    await touchPasskey(client, passkey, used)
    await writeAudit(client, user, 'login', o.origin.ip, { passkey_id: passkey.rowId })
    return issueSession(ctx, client, { user, method: 'passkey', clientInfo: o.origin })
  })
}

/** The user id that the authenticator stores with the key; null if it is not one of ours. */
function personOf(answer: AssertionAnswer): string | null {
  const text = Buffer.from(answer.response.userHandle ?? '', 'base64url').toString()
  return isUuid(text) ? text : null
}

/** Checked after the signature is verified, so that nobody else learns it. */
function checkAdmissible(user: UserRow): void {
  if (user.email && !user.email_confirmed_at) {
    throw new AuthError(403, 'email_not_confirmed', 'Email not confirmed')
  }
  if (user.phone && !user.phone_confirmed_at) {
    throw new AuthError(403, 'phone_not_confirmed', 'Phone not confirmed')
  }
  rejectBannedUser(user)
}
