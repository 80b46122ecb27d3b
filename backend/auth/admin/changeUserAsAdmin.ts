import type pg from 'pg'
import { revokeCodes } from '../accounts/revokeCodes.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { writeAudit } from '../audit.ts'
import { checkPasswordStrength } from '../passwords/checkPasswordStrength.ts'
import { findUserById, lockUser } from '../rows/findUser.ts'
import {
  deleteOneTimeTokens,
  confirmPhone,
  confirmEmail,
  mergeAppMetadata,
  mergeUserMetadata,
  setContactIdentity,
  setPassword,
} from '../rows/updateUser.ts'
import type { UserRow } from '../rows/user.ts'
import { transact } from '../transact.ts'
import { toConflictError } from './conflictErrors.ts'
import { setBan } from './setBan.ts'
import { readBan, readContacts, type UserFields } from './userFields.ts'

/**
 * Applies an administrator's changes to an account, in the order of hosted Supabase.
 * @throws AuthError 400 validation_failed, 404 user_not_found, 422 weak_password, email_exists, phone_exists
 */
export async function changeUserAsAdmin(
  ctx: AuthContext,
  userId: string,
  body: UserFields,
  ip: string,
): Promise<UserRow> {
  const { email, phone } = readContacts(body)
  const ban = readBan(body)
  if (body.password !== undefined) await checkPasswordStrength(body.password, ctx.settings.password)
  const hash = body.password ? await ctx.passwords.hash(body.password) : null
  return transact(ctx, async (client) => {
    if (hash) await revokeCodes(client, userId)
    const user = await lockUser(client, userId)
    if (!user) throw new AuthError(404, 'user_not_found', 'User not found')
    const role = body.role?.trim()
    if (role) await client.query('update auth.users set role = $2 where id = $1', [user.id, role])
    if (body.email_confirm) await confirmEmail(client, user)
    if (body.phone_confirm) await confirmPhone(client, user.id)
    if (hash) await setPassword(client, user.id, hash, null)
    if (email) await setEmail(client, user, { email, verified: body.email_confirm ?? false })
    if (phone) await setPhone(client, user, { phone, verified: body.phone_confirm ?? false })
    if (body.app_metadata) await mergeAppMetadata(client, user, body.app_metadata)
    if (body.user_metadata) await mergeUserMetadata(client, user, body.user_metadata)
    if (ban !== undefined) await setBan(client, user.id, ban)
    const changed = (await findUserById(client, user.id))!
    await writeAudit(client, null, 'user_modified', ip, {
      user_id: user.id,
      user_email: changed.email ?? '',
      user_phone: changed.phone ?? '',
    })
    return changed
  }).catch((error: unknown) => {
    throw toConflictError(error)
  })
}

/**
 * Pending links and codes for the old address are revoked; on hosted Supabase they stay valid and can undo the
 * change.
 */
async function setEmail(
  client: pg.Client,
  user: UserRow,
  { email, verified }: { email: string; verified: boolean },
): Promise<void> {
  await setContactIdentity(client, user.id, { provider: 'email', email, verified })
  await client.query(
    `update auth.users set email = $2, is_anonymous = is_anonymous and not $3, updated_at = now() where id = $1`,
    [user.id, email, verified],
  )
  if (email !== user.email) await deleteOneTimeTokens(client, user.id)
}

async function setPhone(
  client: pg.Client,
  user: UserRow,
  { phone, verified }: { phone: string; verified: boolean },
): Promise<void> {
  await setContactIdentity(client, user.id, { provider: 'phone', phone, verified })
  await client.query(
    `update auth.users set phone = $2, is_anonymous = is_anonymous and not $3, updated_at = now() where id = $1`,
    [user.id, phone, verified],
  )
  if (phone !== user.phone) await deleteOneTimeTokens(client, user.id)
}
