import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { writeAudit } from '../audit.ts'
import { mailUser } from '../mail/mailUser.ts'
import { createContactIdentity } from '../rows/createIdentity.ts'
import { createUser, buildNewUser } from '../rows/createUser.ts'
import { findUserById, lockUser } from '../rows/findUser.ts'
import { storeFlow, type Challenge } from '../rows/flowState.ts'
import { confirmPhone, confirmEmail, mergeUserMetadata, storeProviderNames } from '../rows/updateUser.ts'
import type { UserRow } from '../rows/user.ts'
import { smsUser } from '../sms/smsUser.ts'
import { findUserByContact, isContactConfirmed, isAutoconfirmed, type Contact } from './contact.ts'
import { releaseUnverifiedEmail, isUnclaimed } from './releaseUnverifiedEmail.ts'
import { callBeforeUserCreatedHook, scheduleAfterUserCreatedHook } from './userCreatedHooks.ts'
import { makeOnce } from '../transact.ts'

export interface Registration {
  contact: Contact
  /** Empty for users without a password. */
  passwordHash: string
  /** The stored hash that the password matches, if there is an account already. */
  matchingHash?: string | null
  data: Record<string, unknown>
  challenge: Challenge | null
  redirectTo: string
  ip: string
}

export type Registered =
  /** The account exists and belongs to someone; nothing was changed. */
  | { outcome: 'exists'; user: UserRow }
  /** The contact needs no confirmation. */
  | { outcome: 'confirmed'; user: UserRow }
  /** A confirmation link or code was sent. */
  | { outcome: 'confirmation_sent'; user: UserRow; isNew: boolean; messageId: string | null }

/**
 * Creates an account, or continues with one that was never confirmed, and confirms it or sends a link or code.
 * The limits of messages must have been checked.
 */
export async function registerUser(
  ctx: AuthContext,
  client: pg.Client,
  later: (deed: () => void) => void,
  o: Registration,
): Promise<Registered> {
  const { contact } = o
  const { provider } = contact
  const found = await findUserByContact(client, contact)
  const locked = found && (await lockUser(client, found.id))
  const existing = locked && (provider === 'email' ? await releaseUnverifiedEmail(client, locked) : locked)
  if (existing && isContactConfirmed(existing, provider)) return { outcome: 'exists', user: existing }
  const autoconfirmed = isAutoconfirmed(ctx, provider)
  if (existing && autoconfirmed) {
    // The link or code that is sent next confirms the contact.
    if (o.passwordHash === '')
      return { outcome: 'confirmed', user: await resumeRegistration(client, existing, o) }
    // With automatic confirmation anyone may register any contact. Hosted Supabase also hands over an existing
    // account this way: that of an invited user, or one that is known by another contact.
    const knowsPassword =
      Boolean(existing.encrypted_password) && existing.encrypted_password === o.matchingHash
    if (!knowsPassword) return { outcome: 'exists', user: existing }
  }
  const user = existing
    ? await resumeRegistration(client, existing, o)
    : await createRegisteredUser(ctx, client, later, o)
  if (autoconfirmed) {
    const traits = contact.provider === 'phone' ? { provider, channel: contact.channel } : { provider }
    await writeAudit(client, user, 'user_signedup', o.ip, traits)
    if (provider === 'email') await confirmEmail(client, user)
    else await confirmPhone(client, user.id)
    return { outcome: 'confirmed', user: (await findUserById(client, user.id))! }
  }
  await writeAudit(client, user, 'user_confirmation_requested', o.ip, { provider })
  const messageId = await sendConfirmation(ctx, client, later, user, o)
  return {
    outcome: 'confirmation_sent',
    user: (await findUserById(client, user.id))!,
    isNew: !existing,
    messageId,
  }
}

async function sendConfirmation(
  ctx: AuthContext,
  client: pg.Client,
  later: (deed: () => void) => void,
  user: UserRow,
  { contact, challenge, redirectTo, ip }: Registration,
): Promise<string | null> {
  if (contact.provider === 'phone') {
    return smsUser(ctx, client, { ...contact, user, type: 'confirmation', areLimitsChecked: true, ip, later })
  }
  if (challenge) {
    await storeFlow(client, { userId: user.id, challenge, method: 'email/signup', provider: 'email' })
  }
  await mailUser(ctx, client, {
    mail: 'confirmation',
    user,
    pkce: challenge !== null,
    areLimitsChecked: true,
    redirectTo,
    ip,
    later,
  })
  return null
}

async function createRegisteredUser(
  ctx: AuthContext,
  client: pg.Client,
  later: (deed: () => void) => void,
  o: Registration,
): Promise<UserRow> {
  const { contact } = o
  const values = buildNewUser({
    id: makeOnce(client, 'user', randomUUID),
    ...contact,
    passwordHash: o.passwordHash,
    data: o.data,
  })
  await callBeforeUserCreatedHook(ctx, client, values, o.ip)
  const user = await createUser(client, values)
  const contactIdentity =
    contact.provider === 'email'
      ? ({ ...contact, verified: false } as const)
      : ({ provider: 'phone', phone: null, verified: false } as const)
  const identity = await createContactIdentity(client, user.id, contactIdentity, o.data)
  await mergeUserMetadata(client, user, identity.identity_data)
  await storeProviderNames(client, user.id)
  const created = (await findUserById(client, user.id))!
  scheduleAfterUserCreatedHook(ctx, { user: created, ip: o.ip, later })
  return created
}

/**
 * Continues with an account whose contact is unconfirmed. Its metadata stays, since it may be anyone's. But the
 * owner of the contact must not inherit a password that a stranger chose, before or after: it stays only if all
 * sign-ups used the same one. On hosted Supabase the first password opens the account that the owner confirms.
 */
async function resumeRegistration(client: pg.Client, user: UserRow, o: Registration): Promise<UserRow> {
  const isAgreed = o.passwordHash !== '' && user.encrypted_password === o.matchingHash
  if (user.encrypted_password && isUnclaimed(user) && !isAgreed) {
    const text = `update auth.users set encrypted_password = '', updated_at = now() where id = $1`
    await client.query(text, [user.id])
  }
  return user
}
