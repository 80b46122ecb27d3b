import type pg from 'pg'
import type { AuthContext, RelyingPartyContext, TransactionContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { requireSecondFactor, type AuthenticatedUser } from '../http/authenticate.ts'
import { writeAudit } from '../audit.ts'
import { lockUser } from '../rows/findUser.ts'
import { lockSession } from '../sessions/upgradeSession.ts'
import { transact } from '../transact.ts'
import { nameOfAuthenticator } from './authenticatorNames.ts'
import { verifyCreation, createCreationOptions, readRelyingParty } from './ceremony.ts'
import { parseCreation } from './credential.ts'
import { listPasskeys, storePasskey, type Passkey } from './passkey.ts'
import { storePasskeyChallenge, consumePasskeyChallenge } from './passkeyChallenge.ts'

/** As on hosted Supabase, which has no setting for it. */
const maxPasskeys = 10

/** Creates the options for a new passkey of the signed-in user. */
export async function beginRegistration(
  ctx: RelyingPartyContext & TransactionContext,
  me: AuthenticatedUser,
): Promise<Record<string, unknown>> {
  requireRegistrable(me)
  const existing = await listPasskeys(ctx.pool, me.user.id)
  checkCount(existing)
  const party = readRelyingParty(ctx)
  const options = await createCreationOptions(party, { user: me.user, existing, discoverable: true })
  const stored = await storePasskeyChallenge(ctx.pool, {
    userId: me.user.id,
    purpose: 'registration',
    challenge: options.challenge,
    rpId: party.id,
  })
  return { challenge_id: stored.challenge_id, options, expires_at: stored.expires_at }
}

/**
 * Stores the passkey that an authenticator created.
 * @throws AuthError 400 webauthn_challenge_not_found, webauthn_challenge_expired, webauthn_verification_failed;
 *   422 too_many_passkeys, webauthn_credential_exists
 */
export async function finishRegistration(
  ctx: RelyingPartyContext & TransactionContext & Pick<AuthContext, 'log'>,
  o: { me: AuthenticatedUser; challengeId: string; credential: Record<string, unknown>; ip: string },
): Promise<Passkey> {
  const { id: userId } = o.me.user
  const challengeKey = { id: o.challengeId, userId, purpose: 'registration' } as const
  const challenge = await consumePasskeyChallenge(ctx.pool, challengeKey)
  const parsed = parseCreation(o.credential)
  if (!parsed) throw verificationFailed('Invalid credential response')
  const credential = await verifyCreation(readRelyingParty(ctx), { challenge, ...parsed })
  if ('reason' in credential) {
    ctx.log.info('auth.passkey_rejected', { user: userId, reason: credential.reason })
    throw verificationFailed('Credential verification failed')
  }
  return transact(ctx, async (tx) => {
    const user = await lockUser(tx, userId)
    if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
    // A second factor may have been verified since, which ends sessions such as this one.
    if (o.me.session) await lockSession(tx, userId, o.me.session.id)
    requireSecondFactor({ user, session: o.me.session }, 'manage passkeys')
    checkCount(await listPasskeys(tx, userId))
    const friendlyName = nameOfAuthenticator(credential.aaguid)
    const passkey = await storePasskey(tx, { userId, credential, friendlyName })
    await writeAudit(tx, user, 'passkey_created', o.ip, { passkey_id: passkey.rowId })
    return passkey
  }).catch((error: unknown) => {
    if ((error as pg.DatabaseError).constraint !== 'webauthn_credentials_credential_id_key') throw error
    const message = 'This credential is already registered'
    throw new AuthError(422, 'webauthn_credential_exists', message, { cause: error })
  })
}

/** Throws AuthError if this user may not register a passkey in this session. */
export function requireRegistrable(me: AuthenticatedUser): void {
  if (me.user.is_sso_user) {
    throw new AuthError(422, 'validation_failed', 'SSO users cannot register passkeys')
  }
  requireSecondFactor(me, 'manage passkeys')
}

function checkCount(existing: Passkey[]): void {
  if (existing.length < maxPasskeys) return
  throw new AuthError(422, 'too_many_passkeys', 'Maximum number of passkeys reached')
}

export function verificationFailed(message: string): AuthError {
  return new AuthError(400, 'webauthn_verification_failed', message)
}
