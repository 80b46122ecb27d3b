import type { Transaction } from '../Transaction.ts'
import type { MailContext } from '../AuthContext.ts'
import { writeAudit } from '../audit.ts'
import { findUserById } from '../rows/findUser.ts'
import { ensureContactIdentity } from '../rows/createIdentity.ts'
import {
  deleteOneTimeTokens,
  confirmPhone,
  confirmEmail,
  storeProviderNames,
  markEmailIdentityVerified,
  removeAccess,
  setPassword,
} from '../rows/updateUser.ts'
import type { UserRow } from '../rows/user.ts'
import { changeEmail, changePhone, type ContactChange } from './changeContact.ts'
import type { VerifiedToken } from './verifyOneTimeToken.ts'
import type { AuthSettings } from '../settings/authSettings.ts'

/**
 * Performs the action of a verified token and deletes the token. Returns null if a change of email address
 * still waits for confirmation from the other address, otherwise the updated user.
 */
export async function consumeToken(
  ctx: MailContext,
  tx: Transaction,
  verified: VerifiedToken,
  o: { ip: string },
): Promise<UserRow | null> {
  const { user, type } = verified
  const change = { user, ...o }
  if (type === 'email_change') {
    if (await storeFirstConfirmation(ctx.settings, tx, verified)) return null
    await changeEmail(ctx, tx, user.email_change ?? '', change)
  } else if (type === 'phone_change') {
    await changePhone(ctx, tx, user.phone_change ?? '', change)
  } else if (type === 'sms') {
    await consumeSmsToken(tx, change)
  } else {
    await consumeMailToken(tx, verified, o.ip)
  }
  await storeProviderNames(tx, user.id)
  return findUserById(tx, user.id)
}

async function consumeMailToken(
  tx: Transaction,
  { user, type, token }: VerifiedToken,
  ip: string,
): Promise<void> {
  await tx.query(`update auth.users set ${token} = '', updated_at = now() where id = $1`, [user.id])
  const isConfirmed = user.email_confirmed_at !== null && (type === 'recovery' || type === 'magiclink')
  // Where no codes are sent by mail, people use accounts whose address nobody has confirmed.
  const isUsedUnconfirmed = user.confirmed_at === null && user.last_sign_in_at !== null
  // Such an account gets a token for another device of its owner without a mail: the token proves no address.
  if (isConfirmed || (isUsedUnconfirmed && token === 'recovery_token')) {
    await writeAudit(tx, user, 'login', ip)
    await deleteOneTimeTokens(tx, user.id)
    return
  }
  await writeAudit(tx, user, 'user_signedup', ip, { provider: 'email' })
  // Somebody else may have entered the address, and would share the account with its owner. Second factors stay: without another method
  // they admit nobody.
  if (isUsedUnconfirmed && user.identities.every(({ provider }) => provider === 'email')) {
    await setPassword(tx, user.id, '', null)
    await removeAccess(tx, user.id)
  }
  await confirmEmail(tx, user)
  if (user.email) await markEmailIdentityVerified(tx, user.id, user.email)
}

/** A number is confirmed with each sign-in by it, and each is logged as a sign-up, as on hosted Supabase. */
async function consumeSmsToken(tx: Transaction, { user, ip }: ContactChange): Promise<void> {
  await writeAudit(tx, user, 'user_signedup', ip, { provider: 'phone' })
  await confirmPhone(tx, user.id)
  await ensureContactIdentity(tx, user.id, { provider: 'phone', phone: user.phone, verified: true })
  if (!user.is_anonymous) return
  await tx.query('update auth.users set is_anonymous = false where id = $1', [user.id])
}

/** Stores the first of two confirmations of a new email address; false if this one is enough. */
async function storeFirstConfirmation(
  settings: AuthSettings,
  tx: Transaction,
  { user, token }: VerifiedToken,
): Promise<boolean> {
  const { autoconfirm, doubleConfirmChanges } = settings.email
  if (autoconfirm || !doubleConfirmChanges || !user.email) return false
  if (user.email_change_confirm_status !== 0) return false
  await tx.query(
    `update auth.users set email_change_confirm_status = 1, ${token} = '', updated_at = now() where id = $1`,
    [user.id],
  )
  await tx.query('delete from auth.one_time_tokens where user_id = $1 and token_type = $2', [user.id, token])
  return true
}
