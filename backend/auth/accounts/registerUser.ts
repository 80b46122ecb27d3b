import type { Transaction } from '../Transaction.ts'
import { randomUUID } from 'node:crypto'
import type { AccountContext } from '../AuthContext.ts'
import { writeAudit } from '../audit.ts'
import { mailUser } from '../mail/mailUser.ts'
import { createContactIdentity } from '../rows/createIdentity.ts'
import { createUser, buildNewUser } from '../rows/createUser.ts'
import { findUserById, lockUser } from '../rows/findUser.ts'
import { storeFlow, type Challenge } from '../rows/flowState.ts'
import {
  confirmPhone,
  confirmEmail,
  mergeUserMetadata,
  setPassword,
  storeProviderNames,
} from '../rows/updateUser.ts'
import type { UserRow } from '../rows/user.ts'
import { smsUser } from '../sms/smsUser.ts'
import {
  findUserByContact,
  isContactConfirmed,
  isAutoconfirmed,
  startsSignedIn,
  type Contact,
} from './contact.ts'
import { releaseUnverifiedEmail, isUnclaimed } from './releaseUnverifiedEmail.ts'
import { callBeforeUserCreatedHook, scheduleAfterUserCreatedHook } from './userCreatedHooks.ts'
import { makeOnce } from '../transact.ts'

export interface Registration {
  contact: Contact
  /** Empty for users without a password. */
  passwordHash: string
  /** The stored hash that the password matches, if the account exists already. */
  matchingHash?: string | null
  data: Record<string, unknown>
  challenge: Challenge | null
  redirectTo: string
  ip: string
}

export type Registered =
  /** The account exists and belongs to someone; nothing was changed. */
  | { outcome: 'exists'; user: UserRow }
  /** The account can sign in at once: its contact needs no confirmation, or can't be confirmed. */
  | { outcome: 'confirmed'; user: UserRow }
  /** A confirmation link or code was sent. */
  | { outcome: 'confirmation_sent'; user: UserRow; isNew: boolean; messageId: string | null }

/**
 * Creates an account, or continues with an account that was never confirmed. It confirms the account, or sends a link
 * or code. The caller must have checked the limits of messages.
 */
export async function registerUser(
  ctx: AccountContext,
  tx: Transaction,
  o: Registration,
): Promise<Registered> {
  const { contact } = o
  const { provider } = contact
  const found = await findUserByContact(tx, contact)
  const locked = found && (await lockUser(tx, found.id))
  const existing = locked && (provider === 'email' ? await releaseUnverifiedEmail(tx, locked) : locked)
  const autoconfirmed = isAutoconfirmed(ctx.settings, provider)
  if (!autoconfirmed && startsSignedIn(ctx.settings, provider)) {
    return registerWithoutMail(ctx, tx, existing, o)
  }
  if (existing && isContactConfirmed(existing, provider)) return { outcome: 'exists', user: existing }
  if (existing && autoconfirmed) {
    // The link or code that is sent next confirms the contact.
    if (o.passwordHash === '')
      return { outcome: 'confirmed', user: await resumeRegistration(tx, existing, o) }
    // With automatic confirmation anyone may register any contact. Hosted Supabase also hands over an existing
    // account this way: that of an invited user, or one that is known by another contact.
    const knowsPassword =
      Boolean(existing.encrypted_password) && existing.encrypted_password === o.matchingHash
    if (!knowsPassword) return { outcome: 'exists', user: existing }
  }
  const user = existing ? await resumeRegistration(tx, existing, o) : await createRegisteredUser(ctx, tx, o)
  if (autoconfirmed) {
    const traits = contact.provider === 'phone' ? { provider, channel: contact.channel } : { provider }
    await writeAudit(tx, user, 'user_signedup', o.ip, traits)
    if (provider === 'email') await confirmEmail(tx, user)
    else await confirmPhone(tx, user.id)
    return { outcome: 'confirmed', user: (await findUserById(tx, user.id))! }
  }
  await writeAudit(tx, user, 'user_confirmation_requested', o.ip, { provider })
  const messageId = await sendConfirmation(ctx, tx, user, o)
  return {
    outcome: 'confirmation_sent',
    user: (await findUserById(tx, user.id))!,
    isNew: !existing,
    messageId,
  }
}

/**
 * Creates an account where no codes are sent by mail. Its address stays unconfirmed and grants nothing. The hook also decides about an
 * address that has an account, and only the people whom it admits learn of the account. It admits nobody by an address alone. An account
 * that nobody has ever used is handed over.
 */
async function registerWithoutMail(
  ctx: AccountContext,
  tx: Transaction,
  existing: UserRow | null,
  o: Registration,
): Promise<Registered> {
  let user: UserRow
  if (existing === null) user = await createRegisteredUser(ctx, tx, o)
  else {
    await callBeforeUserCreatedHook(
      ctx,
      tx,
      buildNewUser({ id: existing.id, ...o.contact, data: o.data }),
      o.ip,
    )
    if (!isUnclaimed(existing)) return { outcome: 'exists', user: existing }
    await setPassword(tx, existing.id, o.passwordHash, null)
    user = (await findUserById(tx, existing.id))!
  }
  await writeAudit(tx, user, 'user_signedup', o.ip, { provider: 'email' })
  return { outcome: 'confirmed', user }
}

async function sendConfirmation(
  ctx: AccountContext,
  tx: Transaction,
  user: UserRow,
  { contact, challenge, redirectTo, ip }: Registration,
): Promise<string | null> {
  if (contact.provider === 'phone') {
    return smsUser(ctx, tx, { ...contact, user, type: 'confirmation', areLimitsChecked: true, ip })
  }
  if (challenge) {
    await storeFlow(tx, { userId: user.id, challenge, method: 'email/signup', provider: 'email' })
  }
  await mailUser(ctx, tx, {
    mail: 'confirmation',
    user,
    pkce: challenge !== null,
    areLimitsChecked: true,
    redirectTo,
    ip,
  })
  return null
}

async function createRegisteredUser(ctx: AccountContext, tx: Transaction, o: Registration): Promise<UserRow> {
  const { contact } = o
  const values = buildNewUser({
    id: makeOnce(tx, 'user', randomUUID),
    ...contact,
    passwordHash: o.passwordHash,
    data: o.data,
  })
  await callBeforeUserCreatedHook(ctx, tx, values, o.ip)
  const user = await createUser(tx, values)
  const contactIdentity =
    contact.provider === 'email'
      ? ({ ...contact, verified: false } as const)
      : ({ provider: 'phone', phone: null, verified: false } as const)
  const identity = await createContactIdentity(tx, user.id, contactIdentity, o.data)
  await mergeUserMetadata(tx, user, identity.identity_data)
  await storeProviderNames(tx, user.id)
  const created = (await findUserById(tx, user.id))!
  scheduleAfterUserCreatedHook(ctx, tx, { user: created, ip: o.ip })
  return created
}

/**
 * Continues with an account whose contact is unconfirmed. Its metadata stays, since anyone may have set it. The owner
 * of the contact must not inherit a password that someone else chose. So the password stays only if all sign-ups used
 * the same one. On hosted Supabase the first password opens the account that the owner confirms.
 */
async function resumeRegistration(tx: Transaction, user: UserRow, o: Registration): Promise<UserRow> {
  const isAgreed = o.passwordHash !== '' && user.encrypted_password === o.matchingHash
  if (user.encrypted_password && isUnclaimed(user) && !isAgreed) {
    const text = `update auth.users set encrypted_password = '', updated_at = now() where id = $1`
    await tx.query(text, [user.id])
  }
  return user
}
