import { type Queryable, findUserById, lockUser } from '../../rows/findUser.ts'
import type { Transaction } from '../../Transaction.ts'
import { isUnexpired } from '../../accounts/verifyOneTimeToken.ts'
import { AuthError, invalid } from '../../http/AuthError.ts'
import { rejectBannedUser } from '../../http/authenticate.ts'
import { writeAudit } from '../../audit.ts'
import { createIdentity } from '../../rows/createIdentity.ts'
import { findTokenOwner } from '../../rows/oneTimeToken.ts'
import { confirmEmail, storeProviderNames } from '../../rows/updateUser.ts'
import { type UserRow } from '../../rows/user.ts'
import { identityData } from '../identityData.ts'
import type { ProviderSignIn } from './findOrCreateUser.ts'
import { clearUnconfirmedAccount } from './clearUnconfirmedAccount.ts'
import type { AuthSettings } from '../../settings/authSettings.ts'

/** Finds the user who was invited with this token; null if there is none. */
export async function findInvitedUserId(db: Queryable, token: string): Promise<string | null> {
  return (await findTokenOwner(db, [token], ['confirmation_token']))?.userId ?? null
}

/**
 * Accepts an invitation by a provider sign-in. The token proves the email address, and the provider must return
 * the same one.
 * @throws AuthError 404 invite_not_found, 400 validation_failed, 403 user_banned, 422 identity_already_exists
 */
export async function acceptInvite(
  settings: AuthSettings,
  tx: Transaction,
  o: ProviderSignIn & { token: string },
): Promise<UserRow> {
  const { provider, providerUser } = o
  const { sub } = providerUser.claims
  const owner = await findInvitedUserId(tx, o.token)
  const invited = owner === null ? null : await lockUser(tx, owner)
  // Checked again under the lock, and for its age; GoTrue accepts old ones.
  const lockedOwner = await findInvitedUserId(tx, o.token)
  if (
    !invited ||
    lockedOwner !== invited.id ||
    !isUnexpired(invited.confirmation_sent_at, settings.email.otpExpiry)
  ) {
    throw new AuthError(404, 'invite_not_found', 'Invite not found')
  }
  rejectBannedUser(invited)
  if (!providerUser.emails.some((one) => one.email.toLowerCase() === invited.email?.toLowerCase())) {
    throw invalid('Invited email does not match emails from external provider')
  }
  const { rows } = await tx.query('select 1 from auth.identities where provider = $1 and provider_id = $2', [
    provider,
    sub,
  ])
  if (rows.length > 0) {
    throw new AuthError(422, 'identity_already_exists', 'Identity is already linked to another user')
  }
  const data = identityData(providerUser)
  const identity = await createIdentity(tx, { userId: invited.id, provider, providerId: sub, data })
  await writeAudit(tx, invited, 'invite_accepted', o.ip, { provider })
  await clearUnconfirmedAccount(tx, invited.id, { id: identity.id, data })
  await confirmEmail(tx, (await findUserById(tx, invited.id))!)
  await storeProviderNames(tx, invited.id)
  return (await findUserById(tx, invited.id))!
}
