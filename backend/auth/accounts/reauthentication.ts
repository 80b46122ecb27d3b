import type { SmsContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import type { AuthenticatedUser } from '../http/authenticate.ts'
import { hashCode } from '../rows/oneTimeToken.ts'
import type { UserRow } from '../rows/user.ts'
import { isUnexpired } from './verifyOneTimeToken.ts'
import type { AuthSettings } from '../settings/authSettings.ts'

/** The age, in ms, from which a session needs a reauthentication code to set a new password. */
const reauthenticationAgeMs = 86_400_000

export const invalidNonce = (): AuthError =>
  new AuthError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid')

/** Whether this session needs a code from a mail or text message to set a password. */
function needsNonce(settings: AuthSettings, { session }: AuthenticatedUser): boolean {
  if (!settings.email.reauthenticateForPassword) return false
  return session === null || session.createdAt.getTime() + reauthenticationAgeMs < Date.now()
}

/**
 * Checks the code of GET /reauthenticate if one is needed. Only storing the new password consumes it.
 * @returns the stored hash of the code, which must be unchanged when the password is stored; null if none is
 *   needed
 * @throws AuthError 400 reauthentication_needed, 403 otp_expired, 422 reauthentication_not_valid
 */
export async function checkNonce(
  ctx: SmsContext,
  me: AuthenticatedUser,
  nonce: string,
): Promise<string | null> {
  if (!needsNonce(ctx.settings, me)) return null
  if (nonce === '') {
    throw new AuthError(400, 'reauthentication_needed', 'Password update requires reauthentication')
  }
  const { user } = me
  const stored = user.reauthentication_token
  if (!stored || user.reauthentication_sent_at === null) throw invalidNonce()
  if (!user.email && user.phone && (await isApprovedByProvider(ctx, user.phone, nonce))) return stored
  if (!user.email && !user.phone) {
    const message = 'Reauthentication requires an email or a phone number'
    throw new AuthError(422, 'reauthentication_not_valid', message)
  }
  if (!matchesNonce(ctx, user, stored, nonce)) throw invalidNonce()
  return stored
}

function matchesNonce(ctx: SmsContext, user: UserRow, stored: string, nonce: string): boolean {
  const { otpExpiry } = user.email ? ctx.settings.email : ctx.settings.sms
  const contact = user.email || user.phone || ''
  return (
    stored === hashCode(ctx.keys, contact, nonce) && isUnexpired(user.reauthentication_sent_at, otpExpiry)
  )
}

/**
 * Verifies the code with the SMS provider if the provider creates the codes. Throws AuthError 403 if it is
 * invalid.
 */
async function isApprovedByProvider(ctx: SmsContext, phone: string, nonce: string): Promise<boolean> {
  const { provider } = ctx.sms
  if (!provider?.verify || ctx.settings.hooks.send_sms || ctx.settings.sms.testCodes.has(phone)) return false
  const approved = await provider.verify(phone, nonce).catch((error: unknown) => {
    ctx.log.warn('auth.sms_verification_failed', { reason: String(error) })
    return false
  })
  if (!approved) throw new AuthError(403, 'otp_expired', 'Token has expired or is invalid')
  return true
}
