import type { Transaction } from '../Transaction.ts'
import { createHash } from 'node:crypto'
import type { TransactionContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { writeAudit } from '../audit.ts'
import { lockUser } from '../rows/findUser.ts'
import { deleteOneTimeTokens } from '../rows/updateUser.ts'
import type { UserRow } from '../rows/user.ts'
import { transact } from '../transact.ts'

/**
 * Deletes an account with everything that references it; or softly: the row remains for references,
 * removes all personal data from it.
 * @throws AuthError 404 user_not_found, 500 unexpected_failure if another table of the database still
 *   references it
 */
export async function deleteUser(
  ctx: TransactionContext,
  userId: string,
  o: { soft: boolean; ip: string },
): Promise<void> {
  await transact(ctx, async (tx) => {
    // First, since redeeming a code locks its row before the user's.
    await deleteFlows(tx, userId)
    const user = await lockUser(tx, userId)
    if (!user) throw new AuthError(404, 'user_not_found', 'User not found')
    await writeAudit(tx, null, 'user_deleted', o.ip, {
      user_id: user.id,
      user_email: user.email ?? '',
      user_phone: user.phone ?? '',
    })
    if (!o.soft) await tx.query('delete from auth.users where id = $1', [user.id])
    else if (user.deleted_at === null) await softDeleteUser(tx, user)
  }).catch((error: unknown) => {
    if (!String((error as { code?: unknown }).code).startsWith('23')) throw error
    throw new AuthError(500, 'unexpected_failure', 'Database error deleting user', { cause: error })
  })
}

/**
 * Deletes codes that a browser or client could still redeem. On hosted Supabase they stay valid.
 */
async function deleteFlows(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from auth.flow_state where user_id = $1', [userId])
  await tx.query('delete from auth.oauth_authorizations where user_id = $1', [userId])
}

/** Replaces a personal value: the result is the same for the same value and user. */
function hashPersonalValue(userId: string, value: string): string {
  return createHash('sha256')
    .update(userId + value)
    .digest('base64url')
}

async function softDeleteUser(tx: Transaction, user: UserRow): Promise<void> {
  const phone = (value: string | null): string => hashPersonalValue(user.id, value ?? '').slice(0, 15)
  await tx.query(
    `update auth.users set email = $2, phone = $3, email_change = $4, phone_change = $5,
       encrypted_password = null, confirmation_token = '', recovery_token = '',
       email_change_token_current = '', email_change_token_new = '', phone_change_token = '',
       raw_user_meta_data = '{}', raw_app_meta_data = '{}', deleted_at = now(), updated_at = now()
     where id = $1`,
    [
      user.id,
      hashPersonalValue(user.id, user.email ?? ''),
      phone(user.phone),
      hashPersonalValue(user.id, user.email_change ?? ''),
      phone(user.phone_change),
    ],
  )
  await deleteOneTimeTokens(tx, user.id)
  for (const identity of user.identities) {
    await tx.query(
      `update auth.identities set identity_data = '{}', provider_id = $2, updated_at = now() where id = $1`,
      [identity.id, hashPersonalValue(user.id, `${identity.provider}:${identity.provider_id}`)],
    )
  }
  await tx.query('delete from auth.mfa_factors where user_id = $1', [user.id])
  await tx.query('delete from auth.webauthn_credentials where user_id = $1', [user.id])
  await tx.query('delete from auth.sessions where user_id = $1', [user.id])
}
