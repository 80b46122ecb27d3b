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

/** GoTrue's types of links, with the token and the `type` parameter of each. */
const kinds = {
  signup: { token: 'confirmation_token', link: 'signup' },
  invite: { token: 'confirmation_token', link: 'invite' },
  magiclink: { token: 'recovery_token', link: 'magiclink' },
  recovery: { token: 'recovery_token', link: 'recovery' },
  email_change_current: { token: 'email_change_token_current', link: 'email_change' },
  email_change_new: { token: 'email_change_token_new', link: 'email_change' },
} as const satisfies Record<string, { token: TokenType; link: LinkType }>
type LinkKind = keyof typeof kinds

/** A request for a link. */
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
 * Creates the link and code of a mail without sending it, and returns them with the user. Creates an account if
 * there is none and the link signs in.
 * @throws AuthError 400 validation_failed, 404 user_not_found, 422 email_exists, weak_password; the error of a
 *   before-user-created hook that rejects the user
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
  // For a magic link that creates an account hosted Supabase sets a random password; here the account has none.
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
    // For a change of address hosted Supabase returns the hash for the old address here, which is in no link
    // and is never accepted.
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

/** The locked account that a link is for; writes the log entry. */
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

/** Stores the requested address. A link for the other address stays valid if it is for the same change. */
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
  // On hosted Supabase it stays valid, so the confirmation of one address counts for another.
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
