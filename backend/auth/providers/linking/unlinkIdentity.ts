import type { Transaction } from '../../Transaction.ts'
import type { MailContext } from '../../AuthContext.ts'
import { AuthError } from '../../http/AuthError.ts'
import { writeAudit } from '../../audit.ts'
import { notifyUser } from '../../mail/notifyUser.ts'
import { findUserById, lockUser } from '../../rows/findUser.ts'
import { storeProviderNames } from '../../rows/updateUser.ts'
import { setEmailFromIdentities } from './setEmailFromIdentities.ts'

/**
 * Removes an identity from an account, unless it is the last one. If the account's email address was the
 * identity's, it becomes that of another identity.
 * @throws AuthError 422 single_identity_not_deletable, identity_not_found,
 *   email_conflict_identity_not_deletable
 */
export async function unlinkIdentity(
  ctx: MailContext,
  tx: Transaction,
  o: { userId: string; identityId: string; ip: string },
): Promise<void> {
  // Locked: of two concurrent requests that each leave one identity, only one may succeed.
  const user = await lockUser(tx, o.userId)
  if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  if (user.identities.length <= 1) {
    const message = 'User must have at least 1 identity after unlinking'
    throw new AuthError(422, 'single_identity_not_deletable', message)
  }
  const identity = user.identities.find(({ id }) => id === o.identityId.toLowerCase())
  if (!identity) throw new AuthError(422, 'identity_not_found', "Identity doesn't exist")
  const { provider } = identity
  await writeAudit(tx, user, 'identity_unlinked', o.ip, {
    identity_id: identity.id,
    provider,
    provider_id: identity.provider_id,
  })
  await tx.query('delete from auth.identities where id = $1', [identity.id])
  if (provider === 'phone') {
    await tx.query('update auth.users set phone = null, phone_confirmed_at = null where id = $1', [user.id])
  } else {
    const createTakenError = () =>
      new AuthError(
        422,
        'email_conflict_identity_not_deletable',
        'Unable to unlink identity due to email conflict',
      )
    const remaining = (await findUserById(tx, user.id))!
    await setEmailFromIdentities(tx, remaining, {
      autoconfirm: ctx.settings.email.autoconfirm,
      createTakenError,
    })
  }
  await storeProviderNames(tx, user.id)
  const updated = (await findUserById(tx, user.id))!
  const values = { Provider: provider, Email: user.email ?? '' }
  await notifyUser(ctx, tx, { notification: 'identity_unlinked', user: updated, values, ip: o.ip })
}
