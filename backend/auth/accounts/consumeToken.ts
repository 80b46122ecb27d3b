import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { writeAudit } from '../audit.ts'
import { findUserById } from '../rows/findUser.ts'
import { ensureContactIdentity } from '../rows/createIdentity.ts'
import {
  deleteOneTimeTokens,
  confirmPhone,
  confirmEmail,
  storeProviderNames,
  markEmailIdentityVerified,
} from '../rows/updateUser.ts'
import type { UserRow } from '../rows/user.ts'
import { changeEmail, changePhone, type ContactChange } from './changeContact.ts'
import type { VerifiedToken } from './verifyOneTimeToken.ts'

/**
 * Performs the action of a verified token and deletes the token. Returns null if a change of email address
 * still waits for confirmation from the other address, otherwise the updated user.
 */
export async function consumeToken(
  ctx: AuthContext,
  client: pg.Client,
  verified: VerifiedToken,
  o: { ip: string; later: ContactChange['later'] },
): Promise<UserRow | null> {
  const { user, type } = verified
  const change = { user, ...o }
  if (type === 'email_change') {
    if (await storeFirstConfirmation(ctx, client, verified)) return null
    await changeEmail(ctx, client, user.email_change ?? '', change)
  } else if (type === 'phone_change') {
    await changePhone(ctx, client, user.phone_change ?? '', change)
  } else if (type === 'sms') {
    await consumeSmsToken(client, change)
  } else {
    await consumeMailToken(client, verified, o.ip)
  }
  await storeProviderNames(client, user.id)
  return findUserById(client, user.id)
}

async function consumeMailToken(
  client: pg.Client,
  { user, type, token }: VerifiedToken,
  ip: string,
): Promise<void> {
  await client.query(`update auth.users set ${token} = '', updated_at = now() where id = $1`, [user.id])
  if (user.email_confirmed_at !== null && (type === 'recovery' || type === 'magiclink')) {
    await writeAudit(client, user, 'login', ip)
    await deleteOneTimeTokens(client, user.id)
    return
  }
  await writeAudit(client, user, 'user_signedup', ip, { provider: 'email' })
  await confirmEmail(client, user)
  if (user.email) await markEmailIdentityVerified(client, user.id, user.email)
}

/** A number is confirmed with each sign-in by it, and each is logged as a sign-up, as on hosted Supabase. */
async function consumeSmsToken(client: pg.Client, { user, ip }: ContactChange): Promise<void> {
  await writeAudit(client, user, 'user_signedup', ip, { provider: 'phone' })
  await confirmPhone(client, user.id)
  await ensureContactIdentity(client, user.id, { provider: 'phone', phone: user.phone, verified: true })
  if (!user.is_anonymous) return
  await client.query('update auth.users set is_anonymous = false where id = $1', [user.id])
}

/** Stores the first of two confirmations of a new email address; false if this one is enough. */
async function storeFirstConfirmation(
  ctx: AuthContext,
  client: pg.Client,
  { user, token }: VerifiedToken,
): Promise<boolean> {
  const { autoconfirm, doubleConfirmChanges } = ctx.settings.email
  if (autoconfirm || !doubleConfirmChanges || !user.email) return false
  if (user.email_change_confirm_status !== 0) return false
  await client.query(
    `update auth.users set email_change_confirm_status = 1, ${token} = '', updated_at = now() where id = $1`,
    [user.id],
  )
  await client.query('delete from auth.one_time_tokens where user_id = $1 and token_type = $2', [
    user.id,
    token,
  ])
  return true
}
