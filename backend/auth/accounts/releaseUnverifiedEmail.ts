import type { Transaction } from '../Transaction.ts'
import { ensureContactIdentity } from '../rows/createIdentity.ts'
import { deleteOneTimeTokens, storeProviderNames } from '../rows/updateUser.ts'
import { findUserById } from '../rows/findUser.ts'
import type { UserRow } from '../rows/user.ts'

/** Whether nobody has ever signed in to the account or confirmed a contact of it. */
export function isUnclaimed(user: UserRow): boolean {
  return user.confirmed_at === null && user.last_sign_in_at === null
}

/**
 * Releases an email address that an account has only from a provider that does not verify it, before a mail
 * lets someone else confirm it: otherwise the owner of the address would enter an account that someone else can
 * enter through that provider. Hosted Supabase allows that.
 * @param user the locked user who has the address
 * @returns the account for the owner of the address, without what anyone else stored in it; null if the account
 *   is in use by someone else, who now has no address
 */
export async function releaseUnverifiedEmail(tx: Transaction, user: UserRow): Promise<UserRow | null> {
  if (user.email_confirmed_at !== null) return user
  const externalIdentities = user.identities.filter(
    ({ provider }) => provider !== 'email' && provider !== 'phone',
  )
  if (externalIdentities.length === 0) return user
  if (isUnclaimed(user)) {
    const ids = externalIdentities.map(({ id }) => id)
    await tx.query('delete from auth.identities where id = any ($1)', [ids])
    await tx.query(`update auth.users set raw_user_meta_data = '{}' where id = $1`, [user.id])
    if (user.email) {
      await ensureContactIdentity(tx, user.id, { provider: 'email', email: user.email, verified: false })
    }
    await storeProviderNames(tx, user.id)
    return (await findUserById(tx, user.id))!
  }
  const hasEmailIdentity = user.identities.some((one) => one.provider === 'email' && one.email === user.email)
  if (hasEmailIdentity) return user
  await tx.query(
    `update auth.users set email = null, confirmation_token = '', confirmation_sent_at = null,
       recovery_token = '', recovery_sent_at = null, updated_at = now() where id = $1`,
    [user.id],
  )
  await deleteOneTimeTokens(tx, user.id)
  return null
}
