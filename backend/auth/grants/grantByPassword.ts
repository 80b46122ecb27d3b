import { isProved } from '../accounts/contact.ts'
import { plainPhone } from '../accounts/validatePhone.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { originOf, type AuthRequest } from '../http/callers.ts'
import { readBody } from '../http/readBody.ts'
import { writeAudit } from '../audit.ts'
import { turnOf } from '../http/turnOf.ts'
import { checkPasswordStrength } from '../passwords/checkPasswordStrength.ts'
import { askHook } from '../hooks/askHook.ts'
import { isOutdatedHash } from '../passwords/passwords.ts'
import { findUserByEmail, findUserByPhone, lockUser } from '../rows/findUser.ts'
import { isBanned, type UserRow } from '../rows/user.ts'
import { issueSession, type SessionAnswer } from '../sessions/sessions.ts'
import { transact } from '../transact.ts'

/** `grant_type=password`: exchanges an email address or phone number, and a password. */
export async function grantByPassword(ctx: AuthContext, c: AuthRequest): Promise<SessionAnswer> {
  const body = await readBody(c, { email: 'string', phone: 'string', password: 'string' })
  if (body.email && body.phone) {
    const message = 'Only an email address or phone number should be provided on login.'
    throw new AuthError(400, 'validation_failed', message)
  }
  const { provider, found } = await findOwner(ctx, body.email ?? '', body.phone ?? '')
  const password = body.password ?? ''
  const stored = found?.encrypted_password || null
  const fits = await ctx.passwords.verify(stored, password, turnOf(c))
  const origin = originOf(c)
  if (found && stored && !isBanned(found)) await askAttemptHook(ctx, found, fits, origin.ip)
  // Only someone who knows the password learns anything about the account; hosted Supabase tells anyone that it
  // is banned.
  if (!found || !fits) throw new AuthError(400, 'invalid_credentials', 'Invalid login credentials')
  if (isBanned(found)) throw new AuthError(400, 'user_banned', 'User is banned')
  if (!isProved(found, provider)) {
    throw provider === 'email'
      ? new AuthError(400, 'email_not_confirmed', 'Email not confirmed')
      : new AuthError(400, 'phone_not_confirmed', 'Phone not confirmed')
  }
  const renewed = isOutdatedHash(found.encrypted_password ?? '')
    ? await ctx.passwords.hash(password, turnOf(c))
    : null
  const answer = await transact(ctx, async (client) => {
    const user = await lockUser(client, found.id)
    // Between the check and the lock the password may have been changed.
    if (!user || user.encrypted_password !== stored || isBanned(user)) {
      throw new AuthError(400, 'invalid_credentials', 'Invalid login credentials')
    }
    if (renewed) {
      await client.query('update auth.users set encrypted_password = $2 where id = $1', [user.id, renewed])
    }
    await writeAudit(client, user, 'login', origin.ip, { provider })
    return issueSession(ctx, client, { user, method: 'password', origin })
  })
  return { ...answer, ...(await weakness(ctx, password)) }
}

/**
 * Calls the hook with an attempt, in its own transaction: what a hook function stores is committed, also if it
 * rejects the attempt. Throws AuthError 400 if it does.
 */
async function askAttemptHook(ctx: AuthContext, user: UserRow, valid: boolean, ip: string): Promise<void> {
  if (!ctx.settings.hooks.password_verification_attempt) return
  const refusal = await transact(ctx, async (client) => {
    const told = { user_id: user.id, valid }
    const answer = await askHook(ctx, client, 'password_verification_attempt', told, { ip })
    if (answer?.['decision'] !== 'reject') return null
    if (answer['should_logout_user'] === true) {
      await client.query('delete from auth.sessions where user_id = $1', [user.id])
    }
    const message = answer['message']
    return typeof message === 'string' && message !== ''
      ? message
      : 'Further password verification attempts will be rejected.'
  })
  if (refusal !== null) throw new AuthError(400, 'invalid_credentials', refusal)
}

/** Finds the user by email address or phone number. Throws AuthError 400, 422. */
async function findOwner(
  ctx: AuthContext,
  email: string,
  phone: string,
): Promise<{ provider: 'email' | 'phone'; found: UserRow | null }> {
  if (email) {
    if (ctx.settings.email.enabled) {
      return { provider: 'email', found: await findUserByEmail(ctx.pool, email) }
    }
    throw new AuthError(422, 'email_provider_disabled', 'Email logins are disabled')
  }
  if (!phone) throw new AuthError(400, 'validation_failed', 'missing email or phone')
  if (ctx.settings.sms.enabled) {
    return { provider: 'phone', found: await findUserByPhone(ctx.pool, plainPhone(phone)) }
  }
  throw new AuthError(422, 'phone_provider_disabled', 'Phone logins are disabled')
}

/** A password that violates the current rules still signs in, and the client is warned. */
async function weakness(ctx: AuthContext, password: string): Promise<Pick<SessionAnswer, 'weak_password'>> {
  try {
    await checkPasswordStrength(password, ctx.settings.password)
    return {}
  } catch (error) {
    if (!(error instanceof AuthError) || !error.reasons) return {}
    return { weak_password: { message: error.message, reasons: error.reasons } }
  }
}
