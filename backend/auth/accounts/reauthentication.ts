import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import type { SignedIn } from '../http/callers.ts'
import { hashCode } from '../rows/oneTimeToken.ts'
import type { UserRow } from '../rows/user.ts'
import { isFresh } from './presentToken.ts'

/** After so long in a session, a new password asks for a fresh proof of the address or number, in ms. */
const recently = 86_400_000

export const staleNonce = (): AuthError =>
  new AuthError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid')

/** Whether the configuration wants a code from a mail or text before this session may set a password. */
function needsNonce(ctx: AuthContext, { session }: SignedIn): boolean {
  if (!ctx.settings.email.reauthenticateForPassword) return false
  return session === null || session.createdAt.getTime() + recently < Date.now()
}

/**
 * Checks the code of GET /reauthenticate, where one is needed; it is used up by the new password alone.
 * @returns the stored form of the code, which must still be there when the password is stored; null without one
 * @throws AuthError 400 reauthentication_needed, 403 otp_expired, 422 reauthentication_not_valid
 */
export async function checkNonce(ctx: AuthContext, me: SignedIn, nonce: string): Promise<string | null> {
  if (!needsNonce(ctx, me)) return null
  if (nonce === '') {
    throw new AuthError(400, 'reauthentication_needed', 'Password update requires reauthentication')
  }
  const { user } = me
  const stored = user.reauthentication_token
  if (!stored || user.reauthentication_sent_at === null) throw staleNonce()
  if (!user.email && user.phone && (await isApproved(ctx, user.phone, nonce))) return stored
  if (!user.email && !user.phone) {
    const message = 'Reauthentication requires an email or a phone number'
    throw new AuthError(422, 'reauthentication_not_valid', message)
  }
  if (!fits(ctx, user, stored, nonce)) throw staleNonce()
  return stored
}

function fits(ctx: AuthContext, user: UserRow, stored: string, nonce: string): boolean {
  const { otpExpiry } = user.email ? ctx.settings.email : ctx.settings.sms
  const contact = user.email || user.phone || ''
  return stored === hashCode(ctx.keys, contact, nonce) && isFresh(user.reauthentication_sent_at, otpExpiry)
}

/** Asks the service where it makes the codes itself. Throws AuthError 403 when it says that this is none. */
async function isApproved(ctx: AuthContext, phone: string, nonce: string): Promise<boolean> {
  const { service } = ctx.texts
  if (!service?.check || ctx.settings.hooks.send_sms || ctx.settings.sms.testCodes.has(phone)) return false
  const approved = await service.check(phone, nonce).catch((error: unknown) => {
    ctx.log.warn('auth.text_check_failed', { reason: String(error) })
    return false
  })
  if (!approved) throw new AuthError(403, 'otp_expired', 'Token has expired or is invalid')
  return true
}
