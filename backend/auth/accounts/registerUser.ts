import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { writeAudit } from '../audit.ts'
import { mailUser } from '../mail/mailUser.ts'
import { createOwnIdentity } from '../rows/createIdentity.ts'
import { createUser, newUser } from '../rows/createUser.ts'
import { findUserById, lockUser } from '../rows/findUser.ts'
import { storeFlow, type Challenge } from '../rows/flowState.ts'
import { confirmPhone, confirmUser, mergeUserMetadata, refreshProviders } from '../rows/updateUser.ts'
import type { UserRow } from '../rows/user.ts'
import { textUser } from '../sms/textUser.ts'
import { findContact, isProved, needsNoProof, type Contact } from './contact.ts'
import { freeAddress, isNobodys } from './freeAddress.ts'
import { askBeforeUserCreated, tellUserCreated } from './creationHooks.ts'
import { makeOnce } from '../transact.ts'

export interface Registration {
  contact: Contact
  /** Empty for users without a password. */
  passwordHash: string
  /** The stored hash that the password matches, if there is an account already. */
  fitting?: string | null
  data: Record<string, unknown>
  challenge: Challenge | null
  redirectTo: string
  ip: string
}

export type Registered =
  /** The account exists and belongs to someone; nothing was changed. */
  | { outcome: 'exists'; user: UserRow }
  /** The contact needs no confirmation. */
  | { outcome: 'ready'; user: UserRow }
  /** A confirmation link or code was sent. */
  | { outcome: 'asked'; user: UserRow; isNew: boolean; messageId: string | null }

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
  const found = await findContact(client, contact)
  const held = found && (await lockUser(client, found.id))
  const existing = held && (provider === 'email' ? await freeAddress(client, held) : held)
  if (existing && isProved(existing, provider)) return { outcome: 'exists', user: existing }
  const ready = needsNoProof(ctx, provider)
  if (existing && ready) {
    // The link or code that is sent next confirms the contact.
    if (o.passwordHash === '') return { outcome: 'ready', user: await takeUp(client, existing, o) }
    // With automatic confirmation anyone may register any contact. Hosted Supabase also hands over an existing
    // account this way: that of an invited user, or one that is known by another contact.
    const knows = Boolean(existing.encrypted_password) && existing.encrypted_password === o.fitting
    if (!knows) return { outcome: 'exists', user: existing }
  }
  const user = existing ? await takeUp(client, existing, o) : await makeUser(ctx, client, later, o)
  if (ready) {
    const traits = contact.provider === 'phone' ? { provider, channel: contact.channel } : { provider }
    await writeAudit(client, user, 'user_signedup', o.ip, traits)
    if (provider === 'email') await confirmUser(client, user)
    else await confirmPhone(client, user.id)
    return { outcome: 'ready', user: (await findUserById(client, user.id))! }
  }
  await writeAudit(client, user, 'user_confirmation_requested', o.ip, { provider })
  const messageId = await askForProof(ctx, client, later, user, o)
  return { outcome: 'asked', user: (await findUserById(client, user.id))!, isNew: !existing, messageId }
}

async function askForProof(
  ctx: AuthContext,
  client: pg.Client,
  later: (deed: () => void) => void,
  user: UserRow,
  { contact, challenge, redirectTo, ip }: Registration,
): Promise<string | null> {
  if (contact.provider === 'phone') {
    return textUser(ctx, client, { ...contact, user, type: 'confirmation', isAdmitted: true, ip, later })
  }
  if (challenge) {
    await storeFlow(client, { userId: user.id, challenge, method: 'email/signup', provider: 'email' })
  }
  await mailUser(ctx, client, {
    letter: 'confirmation',
    user,
    pkce: challenge !== null,
    isAdmitted: true,
    redirectTo,
    ip,
    later,
  })
  return null
}

async function makeUser(
  ctx: AuthContext,
  client: pg.Client,
  later: (deed: () => void) => void,
  o: Registration,
): Promise<UserRow> {
  const { contact } = o
  const made = newUser({
    id: makeOnce(client, 'user', randomUUID),
    ...contact,
    passwordHash: o.passwordHash,
    data: o.data,
  })
  await askBeforeUserCreated(ctx, client, made, o.ip)
  const user = await createUser(client, made)
  const own =
    contact.provider === 'email'
      ? ({ ...contact, verified: false } as const)
      : ({ provider: 'phone', phone: null, verified: false } as const)
  const identity = await createOwnIdentity(client, user.id, own, o.data)
  await mergeUserMetadata(client, user, identity.identity_data)
  await refreshProviders(client, user.id)
  const whole = (await findUserById(client, user.id))!
  tellUserCreated(ctx, { user: whole, ip: o.ip, later })
  return whole
}

/**
 * Continues with an account whose contact is unconfirmed. Its metadata stays, since it may be anyone's. But the
 * owner of the contact must not inherit a password that a stranger chose, before or after: it stays only if all
 * sign-ups used the same one. On hosted Supabase the first password opens the account that the owner confirms.
 */
async function takeUp(client: pg.Client, user: UserRow, o: Registration): Promise<UserRow> {
  const isAgreed = o.passwordHash !== '' && user.encrypted_password === o.fitting
  if (user.encrypted_password && isNobodys(user) && !isAgreed) {
    const text = `update auth.users set encrypted_password = '', updated_at = now() where id = $1`
    await client.query(text, [user.id])
  }
  return user
}
