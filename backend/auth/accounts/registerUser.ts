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
  /** Empty for people who come by link or code alone. */
  passwordHash: string
  /** The stored hash that the password was found to fit, where there is an account already. */
  fitting?: string | null
  data: Record<string, unknown>
  challenge: Challenge | null
  redirectTo: string
  ip: string
}

export type Registered =
  /** There is an account that is not the caller's to take; nothing was changed. */
  | { outcome: 'exists'; user: UserRow }
  /** Nothing has to be proved before a session or a link. */
  | { outcome: 'ready'; user: UserRow }
  /** A mail with a link, or a text with a code, is on its way. */
  | { outcome: 'asked'; user: UserRow; isNew: boolean; messageId: string | null }

/**
 * Makes an account, or takes up one that was never confirmed, and confirms it or sends a link or code, which
 * admitMessage let pass.
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
    // The link or code that follows is the proof.
    if (o.passwordHash === '') return { outcome: 'ready', user: await takeUp(client, existing, o) }
    // Without confirmations one is believed about an account that one makes. Hosted then hands over to anyone also
    // what is there already: an invited person's account, or one that is known by another contact.
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
 * An account that nobody proved to own. Its words stay as they are, for they may be anyone's. But who proves it now
 * must not inherit a password that a stranger chose for this contact, before or after them: it stays only where
 * everybody who signed up said the same. On hosted the first one's opens the account that the owner confirms.
 */
async function takeUp(client: pg.Client, user: UserRow, o: Registration): Promise<UserRow> {
  const isAgreed = o.passwordHash !== '' && user.encrypted_password === o.fitting
  if (user.encrypted_password && isNobodys(user) && !isAgreed) {
    const text = `update auth.users set encrypted_password = '', updated_at = now() where id = $1`
    await client.query(text, [user.id])
  }
  return user
}
