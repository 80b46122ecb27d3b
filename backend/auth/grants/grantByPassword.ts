import { toStoredAddress } from '../../../wire/emailAddress.ts'
import { maySignIn } from '../accounts/contact.ts'
import { normalizePhone } from '../accounts/validateEmail.ts'
import type { AuthContext, SignInContext } from '../AuthContext.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import { readClientInfo, type AuthRequest } from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import { requirePasswords } from '../http/requireMethod.ts'
import { writeAudit } from '../audit.ts'
import { readQueueKey } from '../http/clientAddress.ts'
import { checkPasswordStrength } from '../passwords/checkPasswordStrength.ts'
import { callHook } from '../hooks/callHook.ts'
import { isOutdatedHash } from '../passwords/passwords.ts'
import { findUserByEmail, findUserByPhone, lockUser } from '../rows/findUser.ts'
import { isBanned, type UserRow } from '../rows/user.ts'
import { issueSession, type SessionResponse } from '../sessions/sessions.ts'
import { transact } from '../transact.ts'
import type { AuthSettings } from '../settings/authSettings.ts'

/** `grant_type=password`: exchanges an email address or phone number, and a password. */
export async function grantByPassword(ctx: AuthContext, c: AuthRequest): Promise<SessionResponse> {
  const body = await readBody(c, { email: 'string', phone: 'string', password: 'string' })
  if (body.email && body.phone) {
    throw invalid('Only an email address or phone number should be provided on login.')
  }
  requirePasswords(ctx.settings)
  const { provider, found } = await findOwner(ctx, body.email ?? '', body.phone ?? '')
  const password = body.password ?? ''
  const stored = found?.encrypted_password || null
  const matches = await ctx.passwords.verify(stored, password, readQueueKey(c))
  const clientInfo = readClientInfo(c)
  if (found && stored && !isBanned(found)) await callAttemptHook(ctx, found, matches, clientInfo.ip)
  // The response reveals nothing about the account without its password; hosted Supabase reveals to anyone that it is
  // banned.
  if (!found || !matches) throw new AuthError(400, 'invalid_credentials', 'Invalid login credentials')
  if (isBanned(found)) throw new AuthError(400, 'user_banned', 'User is banned')
  if (!maySignIn(ctx.settings, found, provider)) {
    throw provider === 'email'
      ? new AuthError(400, 'email_not_confirmed', 'Email not confirmed')
      : new AuthError(400, 'phone_not_confirmed', 'Phone not confirmed')
  }
  const newHash = isOutdatedHash(found.encrypted_password ?? '')
    ? await ctx.passwords.hash(password, readQueueKey(c))
    : null
  const session = await transact(ctx, async (tx) => {
    const user = await lockUser(tx, found.id)
    // Between the check and the lock the password may have been changed.
    if (!user || user.encrypted_password !== stored || isBanned(user)) {
      throw new AuthError(400, 'invalid_credentials', 'Invalid login credentials')
    }
    if (newHash) {
      await tx.query('update auth.users set encrypted_password = $2 where id = $1', [user.id, newHash])
    }
    await writeAudit(tx, user, 'login', clientInfo.ip, { provider })
    return issueSession(ctx, tx, { user, method: 'password', clientInfo })
  })
  return { ...session, ...(await weakPasswordWarning(ctx.settings, password)) }
}

/**
 * Calls the hook with an attempt, in its own transaction. Rows that a hook function stores are committed even if it
 * rejects the attempt. Throws AuthError 400 if the hook rejects the attempt.
 */
async function callAttemptHook(ctx: SignInContext, user: UserRow, valid: boolean, ip: string): Promise<void> {
  if (!ctx.settings.hooks.password_verification_attempt) return
  const rejection = await transact(ctx, async (tx) => {
    const event = { user_id: user.id, valid }
    const session = await callHook(ctx, tx, 'password_verification_attempt', event, { ip })
    if (session?.['decision'] !== 'reject') return null
    if (session['should_logout_user'] === true) {
      await tx.query('delete from auth.sessions where user_id = $1', [user.id])
    }
    const message = session['message']
    return typeof message === 'string' && message !== ''
      ? message
      : 'Further password verification attempts will be rejected.'
  })
  if (rejection !== null) throw new AuthError(400, 'invalid_credentials', rejection)
}

/** Finds the user by email address or phone number. Throws AuthError 400, 422. */
async function findOwner(
  ctx: Pick<AuthContext, 'pool' | 'settings'>,
  email: string,
  phone: string,
): Promise<{ provider: 'email' | 'phone'; found: UserRow | null }> {
  if (email) {
    if (ctx.settings.email.enabled) {
      return { provider: 'email', found: await findUserByEmail(ctx.pool, toStoredAddress(email)) }
    }
    throw new AuthError(422, 'email_provider_disabled', 'Email logins are disabled')
  }
  if (!phone) throw invalid('missing email or phone')
  if (ctx.settings.sms.enabled) {
    return { provider: 'phone', found: await findUserByPhone(ctx.pool, normalizePhone(phone)) }
  }
  throw new AuthError(422, 'phone_provider_disabled', 'Phone logins are disabled')
}

/** Returns the warning for a password that violates the current rules. Such a password still signs in. */
async function weakPasswordWarning(
  settings: AuthSettings,
  password: string,
): Promise<Pick<SessionResponse, 'weak_password'>> {
  try {
    await checkPasswordStrength(password, settings.password)
    return {}
  } catch (error) {
    if (!(error instanceof AuthError) || !error.reasons) return {}
    return { weak_password: { message: error.message, reasons: error.reasons } }
  }
}
