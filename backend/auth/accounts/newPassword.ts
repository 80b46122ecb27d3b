import type { Transaction } from '../Transaction.ts'
import type { AuthContext, MailContext, SmsContext, TransactionContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import type { AuthenticatedUser } from '../http/authenticate.ts'
import { writeAudit } from '../audit.ts'
import type { QueueKey } from '../limits/createRequestQueue.ts'
import { notifyUser } from '../mail/notifyUser.ts'
import { setPassword } from '../rows/updateUser.ts'
import type { ContactChange } from './changeContact.ts'
import { checkNonce, invalidNonce } from './reauthentication.ts'
import type { Pool } from '../../postgres/connections/pool.ts'

/** A password that passed the checks; it may be stored if what they were based on is unchanged. */
export interface NewPassword {
  hash: string
  /** The hash that it replaces. */
  replaces: string | null
  /** The stored hash of the reauthentication code, if one was needed. */
  nonce: string | null
}

/**
 * Checks a new password of a signed-in user, in GoTrue's order of checks.
 * @throws AuthError 400 reauthentication_needed, current_password_required, current_password_invalid; 403
 *   otp_expired; 422 reauthentication_not_valid, same_password; 429 over_request_rate_limit
 */
export async function checkNewPassword(
  ctx: TransactionContext & SmsContext & Pick<AuthContext, 'passwords'>,
  me: AuthenticatedUser,
  o: { password: string; current: string; nonce: string; queueKey: QueueKey },
): Promise<NewPassword> {
  // Someone who has obtained a token can guess both from many addresses, so attempts are also limited per
  // account.
  if (o.nonce || o.current) ctx.limits.count('verify', `account ${me.user.id}`)
  const nonce = await checkNonce(ctx, me, o.nonce)
  const replaces = me.user.encrypted_password || null
  if (replaces !== null) {
    if (ctx.settings.password.requireCurrent && !(await isRecovery(ctx.pool, me))) {
      if (o.current === '') throw currentPasswordError('current_password_required')
      if (!(await ctx.passwords.verify(replaces, o.current, o.queueKey))) {
        throw currentPasswordError('current_password_invalid')
      }
    }
    if (await ctx.passwords.verify(replaces, o.password, o.queueKey)) {
      const message = 'New password should be different from the old password.'
      throw new AuthError(422, 'same_password', message)
    }
  }
  return { hash: await ctx.passwords.hash(o.password, o.queueKey), replaces, nonce }
}

/**
 * Stores a checked password, notifies the user by mail, and ends all other sessions, links and codes.
 * @throws AuthError 400 current_password_invalid, 422 reauthentication_not_valid if another request changed
 *   them meanwhile
 */
export async function storePassword(
  ctx: MailContext,
  tx: Transaction,
  { hash, replaces, nonce }: NewPassword,
  { user, ip, session }: ContactChange & { session: AuthenticatedUser['session'] },
): Promise<void> {
  if (nonce !== null && user.reauthentication_token !== nonce) throw invalidNonce()
  if (ctx.settings.password.requireCurrent && (user.encrypted_password || null) !== replaces) {
    throw currentPasswordError('current_password_invalid')
  }
  await setPassword(tx, user.id, hash, session?.id ?? null)
  await writeAudit(tx, user, 'user_updated_password', ip)
  await notifyUser(ctx, tx, { notification: 'password_changed', user, ip })
}

function currentPasswordError(code: 'current_password_required' | 'current_password_invalid'): AuthError {
  return new AuthError(400, code, 'Current password required when setting new password.')
}

/** Whether the session was created by password recovery. */
async function isRecovery(pool: Pool, { session }: AuthenticatedUser): Promise<boolean> {
  if (session === null) return false
  const { rowCount } = await pool.query(
    `select 1 from auth.mfa_amr_claims where session_id = $1 and authentication_method = 'recovery'`,
    [session.id],
  )
  return rowCount !== 0
}
