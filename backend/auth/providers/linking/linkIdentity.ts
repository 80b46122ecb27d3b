import type { Transaction } from '../../Transaction.ts'
import type { MailContext } from '../../AuthContext.ts'
import { AuthError } from '../../http/AuthError.ts'
import { rejectBannedUser } from '../../http/authenticate.ts'
import { writeAudit } from '../../audit.ts'
import { mailUser } from '../../mail/mailUser.ts'
import { notifyUser } from '../../mail/notifyUser.ts'
import { createIdentity } from '../../rows/createIdentity.ts'
import { findUserById, lockUser } from '../../rows/findUser.ts'
import { confirmEmail, storeProviderNames } from '../../rows/updateUser.ts'
import { type UserRow } from '../../rows/user.ts'
import { identityData } from '../identityData.ts'
import { setEmailFromIdentities } from './setEmailFromIdentities.ts'
import type { ProviderSignIn } from './findOrCreateUser.ts'

/**
 * Links an identity to the account of a signed-in user. An account without an email address gets the
 * identity's, and an anonymous user becomes a permanent one once it is confirmed. `error` must be thrown
 * after the commit: a mail was sent, whose link must be valid.
 * @throws AuthError 422 identity_already_exists, 400 email_exists
 */
export async function linkIdentity(
  ctx: MailContext,
  tx: Transaction,
  o: ProviderSignIn & { userId: string },
): Promise<{ user: UserRow; error: AuthError | null }> {
  const { provider, providerUser } = o
  const { sub } = providerUser.claims
  const target = await lockUser(tx, o.userId)
  if (!target) throw new AuthError(422, 'user_not_found', 'Linking target user not found')
  rejectBannedUser(target)
  await rejectLinkedIdentity(tx, { provider, sub, userId: target.id })
  const data = identityData(providerUser)
  const identity = await createIdentity(tx, { userId: target.id, provider, providerId: sub, data })
  await writeAudit(tx, target, 'identity_linked', o.ip, {
    identity_id: identity.id,
    provider,
    provider_id: sub,
  })
  await storeProviderNames(tx, target.id)
  if (!target.email) {
    const error = await setEmail(ctx, tx, { ...o, isVerified: data['email_verified'] === true })
    if (error) return { user: target, error }
  }
  const user = (await findUserById(tx, target.id))!
  await notifyUser(ctx, tx, {
    notification: 'identity_linked',
    user,
    values: { Provider: provider },
    ip: o.ip,
  })
  return { user, error: null }
}

async function rejectLinkedIdentity(
  tx: Transaction,
  o: { provider: string; sub: string; userId: string },
): Promise<void> {
  const { rows } = await tx.query<{ user_id: string }>(
    'select user_id from auth.identities where provider = $1 and provider_id = $2',
    [o.provider, o.sub],
  )
  if (!rows[0]) return
  const whose = rows[0].user_id === o.userId ? '' : ' to another user'
  throw new AuthError(422, 'identity_already_exists', `Identity is already linked${whose}`)
}

/** Sets the account's address to the identity's. Returns an error if it must be confirmed by mail first. */
async function setEmail(
  ctx: MailContext,
  tx: Transaction,
  o: ProviderSignIn & { userId: string; isVerified: boolean },
): Promise<AuthError | null> {
  const { autoconfirm } = ctx.settings.email
  const message = 'A user with this email address has already been registered'
  const createTakenError = () => new AuthError(400, 'email_exists', message)
  await setEmailFromIdentities(tx, (await findUserById(tx, o.userId))!, {
    autoconfirm,
    createTakenError,
  })
  const user = (await findUserById(tx, o.userId))!
  if (user.email && !o.isVerified) {
    await mailUser(ctx, tx, {
      mail: 'confirmation',
      user,
      pkce: false,
      redirectTo: o.redirectTo,
    })
    const { provider } = o
    const text = `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`
    return new AuthError(422, 'email_not_confirmed', text)
  }
  if (user.email) await confirmEmail(tx, user)
  await tx.query('update auth.users set is_anonymous = false where id = $1', [user.id])
  return null
}
