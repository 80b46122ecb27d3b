import type { Transaction } from '../../Transaction.ts'
import { randomUUID } from 'node:crypto'
import type { HookContext, MailContext, TransactionContext } from '../../AuthContext.ts'
import { callBeforeUserCreatedHook, scheduleAfterUserCreatedHook } from '../../accounts/userCreatedHooks.ts'
import { AuthError } from '../../http/AuthError.ts'
import { rejectBannedUser } from '../../http/authenticate.ts'
import { writeAudit } from '../../audit.ts'
import { mailUser } from '../../mail/mailUser.ts'
import { createIdentity } from '../../rows/createIdentity.ts'
import { createUser, buildNewUser } from '../../rows/createUser.ts'
import { findUserById, findOwnerOfEmail, lockUser } from '../../rows/findUser.ts'
import { confirmEmail, mergeUserMetadata, storeProviderNames } from '../../rows/updateUser.ts'
import { type UserRow } from '../../rows/user.ts'
import { identityData } from '../identityData.ts'
import type { ProviderUser } from '../Provider.ts'
import { decideLinking, verifiedAddresses } from './decideLinking.ts'
import { findCandidates } from './findCandidates.ts'
import { clearUnconfirmedAccount } from './clearUnconfirmedAccount.ts'
import { makeOnce } from '../../transact.ts'

/** A sign-in with a provider. */
export interface ProviderSignIn {
  provider: string
  providerUser: ProviderUser
  emailOptional: boolean
  ip: string
  /** Where the link of a confirmation mail redirects to. */
  redirectTo: string
}

/**
 * Finds the account of a provider's user, links the identity to an account with the same address, or creates an
 * account. `error` must be thrown after the commit: a mail was sent, whose link must be valid.
 * @throws AuthError 403 user_banned, 409 conflict, 422 signup_disabled, and the error of a hook that rejects
 *   the user
 */
export async function findOrCreateUser(
  ctx: TransactionContext & MailContext,
  tx: Transaction,
  signIn: ProviderSignIn,
): Promise<{ user: UserRow; error: AuthError | null }> {
  const { provider, providerUser } = signIn
  const data = identityData(providerUser)
  const verified = verifiedAddresses(providerUser.emails)
  const resolved = await resolveAccount(ctx, tx, signIn, { data, verified })
  await mergeUserMetadata(tx, resolved.user, data)
  await storeProviderNames(tx, resolved.user.id)
  const user = (await findUserById(tx, resolved.user.id))!
  rejectBannedUser(user)
  if (resolved.outcome === 'created') scheduleAfterUserCreatedHook(ctx, tx, { user, ip: signIn.ip })
  const email = user.email ?? ''
  const needsAddress = provider !== 'web3' && !(signIn.emailOptional && email === '')
  if (!needsAddress || user.email_confirmed_at) {
    await writeAudit(tx, user, 'login', signIn.ip, { provider })
    return { user, error: null }
  }
  // This address must be verified itself: GoTrue accepts any other verified address of the user instead.
  const isVerified = email === '' ? providerUser.emails.some((one) => one.verified) : verified.includes(email)
  if (isVerified || ctx.settings.email.autoconfirm) {
    if (resolved.outcome !== 'created')
      await clearUnconfirmedAccount(tx, user.id, { id: resolved.identityId, data })
    await writeAudit(tx, user, 'user_signedup', signIn.ip, { provider })
    const unconfirmed = (await findUserById(tx, user.id))!
    await confirmEmail(tx, unconfirmed)
    return { user: (await findUserById(tx, user.id))!, error: null }
  }
  const error = verificationNeeded(provider)
  // Without an address no mail was sent and nothing must be committed; and the error must not reveal that an
  // address is taken.
  if (email === '') throw error
  await mailUser(ctx, tx, {
    mail: 'confirmation',
    user,
    pkce: false,
    redirectTo: signIn.redirectTo,
    ip: signIn.ip,
  })
  return { user, error }
}

function verificationNeeded(provider: string): AuthError {
  const message = `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`
  return new AuthError(422, 'provider_email_needs_verification', message)
}

interface ResolvedAccount {
  outcome: 'created' | 'linked' | 'known'
  user: UserRow
  identityId: string
}

async function resolveAccount(
  ctx: HookContext,
  tx: Transaction,
  { provider, providerUser, ip }: ProviderSignIn,
  o: { data: Record<string, unknown>; verified: string[] },
): Promise<ResolvedAccount> {
  const { sub } = providerUser.claims
  const candidates = await findCandidates(tx, { provider, sub, addresses: o.verified })
  const primary = providerUser.emails.find((one) => one.primary)?.email ?? ''
  const isTaken = primary !== '' && (await findOwnerOfEmail(tx, primary)) !== null
  const decision = decideLinking({ emails: providerUser.emails, candidates, isTaken })
  if (decision.kind === 'ambiguous') {
    const message =
      'Multiple accounts with the same email address in the same linking domain detected: default'
    throw new AuthError(409, 'conflict', message)
  }
  if (decision.kind === 'create') {
    if (!ctx.settings.signupEnabled) {
      throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
    }
    const values = buildNewUser({
      id: makeOnce(tx, 'user', randomUUID),
      email: decision.email,
      provider,
      data: o.data,
    })
    await callBeforeUserCreatedHook(ctx, tx, values, ip)
    const user = await createUser(tx, values)
    const identity = await createIdentity(tx, {
      userId: user.id,
      provider,
      providerId: sub,
      data: o.data,
    })
    return { outcome: 'created', user, identityId: identity.id }
  }
  const user = (await lockUser(tx, decision.userId))!
  if (decision.kind === 'exists')
    return { outcome: 'known', user, identityId: await updateIdentity(tx, provider, sub, o.data) }
  const identity = await createIdentity(tx, { userId: user.id, provider, providerId: sub, data: o.data })
  const traits = { identity_id: identity.id, provider, provider_id: sub }
  await writeAudit(tx, user, 'identity_linked', ip, traits)
  return { outcome: 'linked', user, identityId: identity.id }
}

async function updateIdentity(
  tx: Transaction,
  provider: string,
  sub: string,
  data: Record<string, unknown>,
): Promise<string> {
  const { rows } = await tx.query<{ id: string }>(
    `update auth.identities set identity_data = $3, last_sign_in_at = now(), updated_at = now()
     where provider = $1 and provider_id = $2 returning id`,
    [provider, sub, JSON.stringify(data)],
  )
  // Unlinked by a concurrent request before the lock.
  if (!rows[0]) throw new AuthError(409, 'conflict', 'The identity was changed at the same time, try again')
  return rows[0].id
}
