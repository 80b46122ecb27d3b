import type { Transaction } from '../../Transaction.ts'
import { AuthError } from '../../http/AuthError.ts'
import { findUserByEmail } from '../../rows/findUser.ts'
import { deleteOneTimeTokens, mergeUserMetadata } from '../../rows/updateUser.ts'
import type { IdentityRow, UserRow } from '../../rows/user.ts'

const isVerified = (identity: IdentityRow): boolean => identity.identity_data['email_verified'] === true

/** Verified addresses first, then others, then identities without one; the oldest of each. */
function verificationRank(identity: IdentityRow): number {
  if (!identity.email) return 2
  return isVerified(identity) ? 0 : 1
}

/**
 * Sets the user's email address to that of one of their identities, unless one already has the current address.
 * Verified addresses come first; an unverified one leaves the account unconfirmed. Links and codes to the old
 * address are revoked.
 * @param user with current identities
 * @throws AuthError 422 if every address belongs to another user
 */
export async function setEmailFromIdentities(
  tx: Transaction,
  user: UserRow,
  o: { autoconfirm: boolean; createTakenError: () => AuthError },
): Promise<void> {
  const { identities } = user
  // Identities without an address do not match a user without one.
  if (user.email && identities.some((identity) => identity.email === user.email?.toLowerCase())) return
  const chosen = await firstAvailable(
    tx,
    [...identities].sort((a, b) => verificationRank(a) - verificationRank(b)),
  )
  if (!chosen) throw o.createTakenError()
  const email = chosen.email || null
  try {
    await tx.query(
      `update auth.users set email = $2, confirmation_token = '', confirmation_sent_at = null,
         recovery_token = '', recovery_sent_at = null, email_change = '', email_change_token_current = '',
         email_change_token_new = '', email_change_sent_at = null, email_change_confirm_status = 0,
         phone_change = '', phone_change_token = '', phone_change_sent_at = null,
         reauthentication_token = '', reauthentication_sent_at = null, updated_at = now()
       where id = $1`,
      [user.id, email],
    )
  } catch (error) {
    if ((error as { code?: string }).code === '23505') throw o.createTakenError()
    throw error
  }
  await deleteOneTimeTokens(tx, user.id)
  if (email !== null && (isVerified(chosen) || o.autoconfirm)) return
  await tx.query('update auth.users set email_confirmed_at = null where id = $1', [user.id])
  await mergeUserMetadata(tx, user, { email_verified: false })
}

async function firstAvailable(tx: Transaction, identities: IdentityRow[]): Promise<IdentityRow | null> {
  for (const identity of identities) {
    if (!identity.email || !(await findUserByEmail(tx, identity.email))) return identity
  }
  return null
}
