import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { asDatabaseRefusal, withoutRace } from '../accounts/savingFaults.ts'
import { validateEmail } from '../accounts/validateEmail.ts'
import { AuthError } from '../http/AuthError.ts'
import { writeAudit } from '../audit.ts'
import { checkPasswordStrength } from '../passwords/checkPasswordStrength.ts'
import { confirmationUrl, type LinkType } from '../mail/mailUser.ts'
import { findUserByEmail, findUserById, findUserOfAddress, lockUser } from '../rows/findUser.ts'
import { createCode, hashCode, storeToken, type TokenType } from '../rows/oneTimeToken.ts'
import { mergeUserMetadata } from '../rows/updateUser.ts'
import { renderUser, type UserRow } from '../rows/user.ts'
import { transact } from '../transact.ts'
import { findOrMakeUser } from './findOrMakeUser.ts'
import { emailTaken } from './refusal.ts'

/** Kinds of links by the names of the contract, with the token and the `type` that each link brings. */
const kinds = {
  signup: { token: 'confirmation_token', link: 'signup' },
  invite: { token: 'confirmation_token', link: 'invite' },
  magiclink: { token: 'recovery_token', link: 'magiclink' },
  recovery: { token: 'recovery_token', link: 'recovery' },
  email_change_current: { token: 'email_change_token_current', link: 'email_change' },
  email_change_new: { token: 'email_change_token_new', link: 'email_change' },
} as const satisfies Record<string, { token: TokenType; link: LinkType }>
type LinkKind = keyof typeof kinds

/** What a link is asked for. */
export interface WantedLink {
  type: string
  email: string
  newEmail: string
  password: string
  data: Record<string, unknown> | undefined
  redirectTo: string
  ip: string
}

const isKind = (type: string): type is LinkKind => Object.hasOwn(kinds, type)

/**
 * A link and a code as a mail would bring them, without the mail, and the account that they are for. Who has no
 * account and is to sign in by link gets one.
 * @throws AuthError 400 validation_failed, 404 user_not_found, 422 email_exists, weak_password; what the
 *   before-user-created hook refuses with
 */
export async function generateLink(ctx: AuthContext, o: WantedLink): Promise<Record<string, unknown>> {
  const known = await findUserByEmail(ctx.pool, o.email)
  if (!isKind(o.type)) {
    throw new AuthError(400, 'validation_failed', `Invalid email action link type requested: ${o.type}`)
  }
  const type = !known && o.type === 'magiclink' ? 'signup' : o.type
  if (!known && type !== 'signup' && type !== 'invite') {
    throw new AuthError(404, 'user_not_found', 'User with this email not found')
  }
  // Of a link that makes an account hosted asks no password, and gives it one that nobody knows; here it has none.
  const passwordHash = !known && o.type === 'signup' ? await requiredHash(ctx, o.password) : ''
  const made = await withoutRace(() =>
    transact(ctx, (client, later) => storeLink(ctx, client, type, passwordHash, { ...o, later })),
  ).catch((error: unknown) => {
    throw asDatabaseRefusal(error)
  })
  return {
    ...renderUser(made.user),
    action_link: confirmationUrl(ctx, made.hash, kinds[type].link, o.redirectTo),
    email_otp: made.code,
    // Of a changed address hosted names the hash for the old one here, which no link has and nothing takes.
    hashed_token: made.hash,
    verification_type: type,
    redirect_to: o.redirectTo,
  }
}

async function requiredHash(ctx: AuthContext, password: string): Promise<string> {
  if (password === '') throw new AuthError(400, 'validation_failed', 'Signup requires a valid password')
  await checkPasswordStrength(password, ctx.settings.password)
  return ctx.passwords.hash(password)
}

async function storeLink(
  ctx: AuthContext,
  client: pg.Client,
  type: LinkKind,
  passwordHash: string,
  o: WantedLink & { later: (deed: () => void) => void },
): Promise<{ user: UserRow; code: string; hash: string }> {
  const user = await findUser(ctx, client, type, passwordHash, o)
  const newEmail =
    kinds[type].link === 'email_change' ? await beginEmailChange(ctx, client, type, user, o) : ''
  const address = type === 'email_change_new' ? newEmail : o.email
  const code = createCode(ctx.settings.email.otpLength)
  const hash = hashCode(ctx.keys, address, code)
  await storeToken(client, { userId: user.id, type: kinds[type].token, hash, address })
  if (type === 'invite') {
    await client.query('update auth.users set invited_at = now() where id = $1', [user.id])
  }
  return { user: (await findUserById(client, user.id))!, code, hash }
}

/** The account that a link is for, locked, and what the log says of it. */
async function findUser(
  ctx: AuthContext,
  client: pg.Client,
  type: LinkKind,
  passwordHash: string,
  o: WantedLink & { later: (deed: () => void) => void },
): Promise<UserRow> {
  if (type === 'signup' || type === 'invite') {
    const { user, made } = await findOrMakeUser(ctx, client, { ...o, passwordHash, data: o.data ?? {} })
    if (type === 'signup' && !made) await mergeUserMetadata(client, user, o.data ?? {})
    if (type === 'invite') {
      await writeAudit(client, null, 'user_invited', o.ip, { user_id: user.id, user_email: o.email })
    }
    return user
  }
  const found = await findUserByEmail(client, o.email)
  const user = found && (await lockUser(client, found.id))
  if (!user) throw new AuthError(404, 'user_not_found', 'User with this email not found')
  if (type === 'magiclink' || type === 'recovery') {
    await writeAudit(client, user, 'user_recovery_requested', o.ip)
  }
  return user
}

/** Notes the address that the person is to have. The link for the other address stays good, if it is for this one. */
async function beginEmailChange(
  ctx: AuthContext,
  client: pg.Client,
  type: LinkKind,
  user: UserRow,
  o: WantedLink,
): Promise<string> {
  if (type === 'email_change_current' && !ctx.settings.email.doubleConfirmChanges) {
    const message = 'Enable secure email change to generate link for current email'
    throw new AuthError(400, 'validation_failed', message)
  }
  const newEmail = validateEmail(o.newEmail)
  if (await findUserOfAddress(client, newEmail, user.id)) throw emailTaken()
  await client.query(
    `update auth.users set email_change = $2, email_change_confirm_status = 0, updated_at = now()
     where id = $1`,
    [user.id, newEmail],
  )
  // Hosted keeps it, and who agreed to one address has agreed to another.
  if (user.email_change !== newEmail) {
    await client.query(
      `update auth.users set email_change_token_current = '', email_change_token_new = '' where id = $1`,
      [user.id],
    )
    await client.query(
      `delete from auth.one_time_tokens where user_id = $1
         and token_type in ('email_change_token_new', 'email_change_token_current')`,
      [user.id],
    )
  }
  return newEmail
}
