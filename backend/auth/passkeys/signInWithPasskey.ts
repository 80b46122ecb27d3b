import { maySignIn } from '../accounts/contact.ts'
import type { AuthSettings } from '../settings/authSettings.ts'
import type { RelyingPartyContext, SignInContext, TransactionContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { rejectBannedUser, isUuid } from '../http/authenticate.ts'
import { writeAudit } from '../audit.ts'
import { lockUser } from '../rows/findUser.ts'
import { type UserRow } from '../rows/user.ts'
import { issueSession, type ClientInfo, type SessionResponse } from '../sessions/sessions.ts'
import { transact } from '../transact.ts'
import { verifyAssertion, readRelyingParty, createRequestOptions } from './ceremony.ts'
import { parseAssertion, type AssertionResponse } from './credential.ts'
import { lockPasskey, storePasskeyUse } from './passkey.ts'
import { storePasskeyChallenge, consumePasskeyChallenge } from './passkeyChallenge.ts'
import { verificationFailed } from './registerPasskey.ts'

/** Creates the options for a sign-in with any passkey of the authenticator. */
export async function beginSignIn(
  ctx: RelyingPartyContext & TransactionContext,
): Promise<Record<string, unknown>> {
  const party = readRelyingParty(ctx)
  const options = await createRequestOptions(party, [])
  const stored = await storePasskeyChallenge(ctx.pool, {
    userId: null,
    purpose: 'authentication',
    challenge: options.challenge,
    rpId: party.id,
  })
  return { challenge_id: stored.challenge_id, options, expires_at: stored.expires_at }
}

/**
 * Signs in the owner of the passkey that signed the challenge.
 * @throws AuthError 400 webauthn_challenge_not_found, webauthn_challenge_expired, webauthn_verification_failed
 *   (also for unknown keys); 403 email_not_confirmed, phone_not_confirmed, user_banned
 */
export async function finishSignIn(
  ctx: RelyingPartyContext & SignInContext,
  o: { challengeId: string; credential: Record<string, unknown>; clientInfo: ClientInfo },
): Promise<SessionResponse> {
  const challengeKey = { id: o.challengeId, userId: null, purpose: 'authentication' } as const
  const challenge = await consumePasskeyChallenge(ctx.pool, challengeKey)
  const response = parseAssertion(o.credential)
  if (!response) throw verificationFailed('Invalid credential response')
  const reject = (reason: string): AuthError => {
    ctx.log.info('auth.passkey_rejected', { reason })
    return verificationFailed('Credential verification failed')
  }
  const userId = userIdOf(response)
  if (userId === null) throw reject('the response names no user')
  return transact(ctx, async (tx) => {
    const user = await lockUser(tx, userId)
    const passkey = user && (await lockPasskey(tx, response.id))
    if (!user || passkey?.userId !== user.id) throw reject('the key is unknown')
    const updated = await verifyAssertion(readRelyingParty(ctx), { challenge, response, credential: passkey })
    if ('reason' in updated) throw reject(updated.reason)
    requireConfirmed(ctx.settings, user)
    await storePasskeyUse(tx, passkey, updated)
    await writeAudit(tx, user, 'login', o.clientInfo.ip, { passkey_id: passkey.rowId })
    return issueSession(ctx, tx, { user, method: 'passkey', clientInfo: o.clientInfo })
  })
}

/** The user id that the authenticator stores with the key; null if it is not one of ours. */
function userIdOf(response: AssertionResponse): string | null {
  const text = Buffer.from(response.response.userHandle ?? '', 'base64url').toString()
  return isUuid(text) ? text : null
}

/** Checked after the signature is verified, so that it is revealed only to the owner of the key. */
function requireConfirmed(settings: AuthSettings, user: UserRow): void {
  if (user.email && !maySignIn(settings, user, 'email')) {
    throw new AuthError(403, 'email_not_confirmed', 'Email not confirmed')
  }
  if (user.phone && !user.phone_confirmed_at) {
    throw new AuthError(403, 'phone_not_confirmed', 'Phone not confirmed')
  }
  rejectBannedUser(user)
}
