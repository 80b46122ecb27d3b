import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { writeAudit } from '../audit.ts'
import { findUserById } from '../rows/findUser.ts'
import { ensureOwnIdentity } from '../rows/createIdentity.ts'
import {
  clearTokens,
  confirmPhone,
  confirmUser,
  refreshProviders,
  verifyEmailIdentity,
} from '../rows/updateUser.ts'
import type { UserRow } from '../rows/user.ts'
import { changeEmail, changePhone, type Change } from './changeContact.ts'
import type { Presented } from './presentToken.ts'

/**
 * Performs the action of a verified token and deletes the token. Returns null if a change of email address
 * still waits for confirmation from the other address, otherwise the updated user.
 */
export async function acceptToken(
  ctx: AuthContext,
  client: pg.Client,
  presented: Presented,
  o: { ip: string; later: Change['later'] },
): Promise<UserRow | null> {
  const { user, type } = presented
  const change = { user, ...o }
  if (type === 'email_change') {
    if (await isHalfWay(ctx, client, presented)) return null
    await changeEmail(ctx, client, user.email_change ?? '', change)
  } else if (type === 'phone_change') {
    await changePhone(ctx, client, user.phone_change ?? '', change)
  } else if (type === 'sms') {
    await acceptText(client, change)
  } else {
    await acceptMail(client, presented, o.ip)
  }
  await refreshProviders(client, user.id)
  return findUserById(client, user.id)
}

async function acceptMail(client: pg.Client, { user, type, token }: Presented, ip: string): Promise<void> {
  await client.query(`update auth.users set ${token} = '', updated_at = now() where id = $1`, [user.id])
  if (user.email_confirmed_at !== null && (type === 'recovery' || type === 'magiclink')) {
    await writeAudit(client, user, 'login', ip)
    await clearTokens(client, user.id)
    return
  }
  await writeAudit(client, user, 'user_signedup', ip, { provider: 'email' })
  await confirmUser(client, user)
  if (user.email) await verifyEmailIdentity(client, user.id, user.email)
}

/** A number is confirmed with each sign-in by it, and each is logged as a sign-up, as on hosted Supabase. */
async function acceptText(client: pg.Client, { user, ip }: Change): Promise<void> {
  await writeAudit(client, user, 'user_signedup', ip, { provider: 'phone' })
  await confirmPhone(client, user.id)
  await ensureOwnIdentity(client, user.id, { provider: 'phone', phone: user.phone, verified: true })
  if (!user.is_anonymous) return
  await client.query('update auth.users set is_anonymous = false where id = $1', [user.id])
}

/** Stores the first of two confirmations of a new email address; false if this one is enough. */
async function isHalfWay(ctx: AuthContext, client: pg.Client, { user, token }: Presented): Promise<boolean> {
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
