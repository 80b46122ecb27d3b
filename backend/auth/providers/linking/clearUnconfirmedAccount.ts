import type { Transaction } from '../../Transaction.ts'
import { deleteOneTimeTokens, removeAccess, storeProviderNames } from '../../rows/updateUser.ts'

/**
 * Removes everything from an unconfirmed account whose address a provider sign-in has now verified: someone else
 * may have created it. GoTrue removes password and other identities; sessions, second factors and the phone
 * number would give access as well.
 * @param verifiedIdentity the identity that verified the address
 */
export async function clearUnconfirmedAccount(
  tx: Transaction,
  userId: string,
  verifiedIdentity: { id: string; data: Record<string, unknown> },
): Promise<void> {
  await tx.query(
    `update auth.users set encrypted_password = null, raw_user_meta_data = $2, is_anonymous = false,
       phone = null, phone_confirmed_at = null, phone_change = '', phone_change_token = '',
       email_change = '', email_change_token_new = '', email_change_token_current = '', updated_at = now()
     where id = $1`,
    [userId, JSON.stringify(verifiedIdentity.data)],
  )
  await tx.query('delete from auth.identities where user_id = $1 and id <> $2', [userId, verifiedIdentity.id])
  await removeAccess(tx, userId)
  await tx.query('delete from auth.flow_state where user_id = $1', [userId])
  await tx.query('delete from auth.mfa_factors where user_id = $1', [userId])
  await deleteOneTimeTokens(tx, userId)
  await storeProviderNames(tx, userId)
}
