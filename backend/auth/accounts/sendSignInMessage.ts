import type { AccountContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { writeAudit } from '../audit.ts'
import { mailUser } from '../mail/mailUser.ts'
import { findUserByEmail, findUserByPhone, lockUser } from '../rows/findUser.ts'
import { storeFlow } from '../rows/flowState.ts'
import { smsUser } from '../sms/smsUser.ts'
import { isContactConfirmed } from './contact.ts'
import { registerUser, type Registration } from './registerUser.ts'
import { transactAccount } from './databaseErrors.ts'

/**
 * Sends a sign-in link or code to a contact, and creates an account first if there is none. New users are sent
 * the mail "confirmation", which signs in as well, unless users are confirmed automatically.
 * @param o.shouldCreateUser whether to create an account if there is none
 * @throws AuthError 422 otp_disabled, signup_disabled; the error of a hook that rejects the user
 * @returns the SMS provider's id of the message, for new and existing users alike; hosted Supabase returns it
 *   for one of them only
 */
export async function sendSignInMessage(
  ctx: AccountContext,
  o: Omit<Registration, 'passwordHash'> & { shouldCreateUser: boolean },
): Promise<string | null> {
  const { contact, challenge, redirectTo, ip } = o
  return transactAccount(ctx, async (tx) => {
    const found = await (contact.provider === 'email'
      ? findUserByEmail(tx, contact.email)
      : findUserByPhone(tx, contact.phone))
    let user = found && (await lockUser(tx, found.id))
    if (!user && !o.shouldCreateUser) throw new AuthError(422, 'otp_disabled', 'Signups not allowed for otp')
    if (!user || !isContactConfirmed(user, contact.provider)) {
      if (!ctx.settings.signupEnabled) {
        throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
      }
      const registered = await registerUser(ctx, tx, { ...o, passwordHash: '' })
      if (registered.outcome === 'exists') return null
      if (registered.outcome === 'confirmation_sent') return registered.messageId
      user = registered.user
    }
    if (contact.provider === 'phone') {
      await writeAudit(tx, user, 'user_recovery_requested', ip, { channel: contact.channel })
      return smsUser(ctx, tx, {
        ...contact,
        user,
        type: 'confirmation',
        areLimitsChecked: true,
        ip,
      })
    }
    if (challenge) {
      await storeFlow(tx, { userId: user.id, challenge, method: 'magiclink', provider: 'magiclink' })
    }
    await writeAudit(tx, user, 'user_recovery_requested', ip)
    await mailUser(ctx, tx, {
      mail: 'magic_link',
      user,
      pkce: challenge !== null,
      areLimitsChecked: true,
      redirectTo,
      ip,
    })
    return null
  })
}
