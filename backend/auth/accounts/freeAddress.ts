import type pg from 'pg'
import { ensureOwnIdentity } from '../rows/createIdentity.ts'
import { clearTokens, refreshProviders } from '../rows/updateUser.ts'
import { findUserById } from '../rows/findUser.ts'
import type { UserRow } from '../rows/user.ts'

/** Whether nobody has ever been let into it, nor proved to be reached by what it has. */
export function isNobodys(user: UserRow): boolean {
  return user.confirmed_at === null && user.last_sign_in_at === null
}

/**
 * Frees an address from whoever holds it by the word of a provider that does not vouch for it, before a mail lets
 * somebody prove it who asked by the address alone: they would else come into an account that a stranger enters by
 * that provider, or is in already. Hosted lets that happen.
 * @param user locked, who has the address
 * @returns the account for whoever proves the address, without what a stranger put into it; null where it is
 *   somebody's, who now has no address
 */
export async function freeAddress(client: pg.Client, user: UserRow): Promise<UserRow | null> {
  if (user.email_confirmed_at !== null) return user
  const lent = user.identities.filter(({ provider }) => provider !== 'email' && provider !== 'phone')
  if (lent.length === 0) return user
  if (isNobodys(user)) {
    const ids = lent.map(({ id }) => id)
    await client.query('delete from auth.identities where id = any ($1)', [ids])
    await client.query(`update auth.users set raw_user_meta_data = '{}' where id = $1`, [user.id])
    if (user.email) {
      await ensureOwnIdentity(client, user.id, { provider: 'email', email: user.email, verified: false })
    }
    await refreshProviders(client, user.id)
    return (await findUserById(client, user.id))!
  }
  const isOwn = user.identities.some((one) => one.provider === 'email' && one.email === user.email)
  if (isOwn) return user
  await client.query(
    `update auth.users set email = null, confirmation_token = '', confirmation_sent_at = null,
       recovery_token = '', recovery_sent_at = null, updated_at = now() where id = $1`,
    [user.id],
  )
  await clearTokens(client, user.id)
  return null
}
