import type { Transaction } from '../Transaction.ts'
import { revokeCodes } from '../rows/flowState.ts'
import type { AuthContext, TransactionContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { writeAudit } from '../audit.ts'
import { checkPasswordStrength } from '../passwords/checkPasswordStrength.ts'
import { findUserById, lockUser } from '../rows/findUser.ts'
import {
  confirmEmail,
  confirmPhone,
  deleteOneTimeTokens,
  mergeAppMetadata,
  mergeUserMetadata,
  setBan,
  setContactIdentity,
  setPassword,
} from '../rows/updateUser.ts'
import type { UserRow } from '../rows/user.ts'
import { transact } from '../transact.ts'
import { toConflictError } from './conflictErrors.ts'
import { readBan, readContacts, type UserFields } from './userFields.ts'

/**
 * Applies an administrator's changes to an account, in the order of hosted Supabase.
 * @throws AuthError 400 validation_failed, 404 user_not_found, 422 weak_password, email_exists, phone_exists
 */
export async function changeUserAsAdmin(
  ctx: TransactionContext & Pick<AuthContext, 'passwords' | 'settings'>,
  userId: string,
  body: UserFields,
  ip: string,
): Promise<UserRow> {
  const { email, phone } = readContacts(body)
  const ban = readBan(body)
  if (body.password !== undefined) await checkPasswordStrength(body.password, ctx.settings.password)
  const hash = body.password ? await ctx.passwords.hash(body.password) : null
  return transact(ctx, async (tx) => {
    if (hash) await revokeCodes(tx, userId)
    const user = await lockUser(tx, userId)
    if (!user) throw new AuthError(404, 'user_not_found', 'User not found')
    const role = body.role?.trim()
    if (role) await tx.query('update auth.users set role = $2 where id = $1', [user.id, role])
    if (body.email_confirm) await confirmEmail(tx, user)
    if (body.phone_confirm) await confirmPhone(tx, user.id)
    if (hash) await setPassword(tx, user.id, hash, null)
    if (email) await setEmail(tx, user, { email, verified: body.email_confirm ?? false })
    if (phone) await setPhone(tx, user, { phone, verified: body.phone_confirm ?? false })
    if (body.app_metadata) await mergeAppMetadata(tx, user, body.app_metadata)
    if (body.user_metadata) await mergeUserMetadata(tx, user, body.user_metadata)
    if (ban !== undefined) await setBan(tx, user.id, ban)
    const changed = (await findUserById(tx, user.id))!
    await writeAudit(tx, null, 'user_modified', ip, {
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
  tx: Transaction,
  user: UserRow,
  { email, verified }: { email: string; verified: boolean },
): Promise<void> {
  await setContactIdentity(tx, user.id, { provider: 'email', email, verified })
  await tx.query(
    `update auth.users set email = $2, is_anonymous = is_anonymous and not $3, updated_at = now() where id = $1`,
    [user.id, email, verified],
  )
  if (email !== user.email) await deleteOneTimeTokens(tx, user.id)
}

async function setPhone(
  tx: Transaction,
  user: UserRow,
  { phone, verified }: { phone: string; verified: boolean },
): Promise<void> {
  await setContactIdentity(tx, user.id, { provider: 'phone', phone, verified })
  await tx.query(
    `update auth.users set phone = $2, is_anonymous = is_anonymous and not $3, updated_at = now() where id = $1`,
    [user.id, phone, verified],
  )
  if (phone !== user.phone) await deleteOneTimeTokens(tx, user.id)
}
