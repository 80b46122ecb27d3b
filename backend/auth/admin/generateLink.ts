import type { Transaction } from '../Transaction.ts'
import type { AuthContext, SignInContext } from '../AuthContext.ts'
import { transactAccount, emailTakenError } from '../accounts/databaseErrors.ts'
import { validateEmail } from '../accounts/validateEmail.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import { writeAudit } from '../audit.ts'
import { checkPasswordStrength } from '../passwords/checkPasswordStrength.ts'
import { confirmationUrl, type LinkType } from '../mail/mailUser.ts'
import { findUserByEmail, findUserById, findOwnerOfEmail, lockUser } from '../rows/findUser.ts'
import { createCode, hashCode, storeToken, type TokenType } from '../rows/oneTimeToken.ts'
import { mergeUserMetadata } from '../rows/updateUser.ts'
import { renderUser, type UserRow } from '../rows/user.ts'
import { findOrCreateUnconfirmedUser } from './findOrCreateUnconfirmedUser.ts'
import type { AuthSettings } from '../settings/authSettings.ts'

/** GoTrue's types of links, with the token and the `type` parameter of each. */
const linkTypes = {
  signup: { token: 'confirmation_token', link: 'signup' },
  invite: { token: 'confirmation_token', link: 'invite' },
  magiclink: { token: 'recovery_token', link: 'magiclink' },
  recovery: { token: 'recovery_token', link: 'recovery' },
  email_change_current: { token: 'email_change_token_current', link: 'email_change' },
  email_change_new: { token: 'email_change_token_new', link: 'email_change' },
} as const satisfies Record<string, { token: TokenType; link: LinkType }>
type AdminLinkType = keyof typeof linkTypes

/** A request for a link. */
export interface LinkRequest {
  type: string
  email: string
  newEmail: string
  password: string
  data: Record<string, unknown> | undefined
  redirectTo: string
  ip: string
}

const isLinkType = (type: string): type is AdminLinkType => Object.hasOwn(linkTypes, type)

/**
 * Creates the link and code of a mail without sending it, and returns them with the user. Creates an account if
 * there is none and the link signs in.
 * @throws AuthError 400 validation_failed, 404 user_not_found, 422 email_exists, weak_password; the error of a
 *   before-user-created hook that rejects the user
 */
export async function generateLink(ctx: AuthContext, o: LinkRequest): Promise<Record<string, unknown>> {
  const existing = await findUserByEmail(ctx.pool, o.email)
  if (!isLinkType(o.type)) {
    throw invalid(`Invalid email action link type requested: ${o.type}`)
  }
  const type = !existing && o.type === 'magiclink' ? 'signup' : o.type
  if (!existing && type !== 'signup' && type !== 'invite') {
    throw new AuthError(404, 'user_not_found', 'User with this email not found')
  }
  // For a magic link that creates an account hosted Supabase sets a random password; here the account has none.
  const passwordHash = !existing && o.type === 'signup' ? await hashRequiredPassword(ctx, o.password) : ''
  const created = await transactAccount(ctx, (tx) => createLink(ctx, tx, type, passwordHash, o))
  return {
    ...renderUser(created.user),
    action_link: confirmationUrl(ctx, created.hash, linkTypes[type].link, o.redirectTo),
    email_otp: created.code,
    // For a change of address hosted Supabase returns the hash for the old address here, which is in no link
    // and is never accepted.
    hashed_token: created.hash,
    verification_type: type,
    redirect_to: o.redirectTo,
  }
}

async function hashRequiredPassword(ctx: AuthContext, password: string): Promise<string> {
  if (password === '') throw invalid('Signup requires a valid password')
  await checkPasswordStrength(password, ctx.settings.password)
  return ctx.passwords.hash(password)
}

async function createLink(
  ctx: SignInContext,
  tx: Transaction,
  type: AdminLinkType,
  passwordHash: string,
  o: LinkRequest,
): Promise<{ user: UserRow; code: string; hash: string }> {
  const user = await findLinkUser(ctx, tx, type, passwordHash, o)
  const newEmail =
    linkTypes[type].link === 'email_change' ? await beginEmailChange(ctx.settings, tx, type, user, o) : ''
  const address = type === 'email_change_new' ? newEmail : o.email
  const code = createCode(ctx.settings.email.otpLength)
  const hash = hashCode(ctx.keys, address, code)
  await storeToken(tx, { userId: user.id, type: linkTypes[type].token, hash, address })
  if (type === 'invite') {
    await tx.query('update auth.users set invited_at = now() where id = $1', [user.id])
  }
  return { user: (await findUserById(tx, user.id))!, code, hash }
}

/** The locked account that a link is for; writes the log entry. */
async function findLinkUser(
  ctx: SignInContext,
  tx: Transaction,
  type: AdminLinkType,
  passwordHash: string,
  o: LinkRequest,
): Promise<UserRow> {
  if (type === 'signup' || type === 'invite') {
    const { user, isNew } = await findOrCreateUnconfirmedUser(ctx, tx, {
      ...o,
      passwordHash,
      data: o.data ?? {},
    })
    if (type === 'signup' && !isNew) await mergeUserMetadata(tx, user, o.data ?? {})
    if (type === 'invite') {
      await writeAudit(tx, null, 'user_invited', o.ip, { user_id: user.id, user_email: o.email })
    }
    return user
  }
  const found = await findUserByEmail(tx, o.email)
  const user = found && (await lockUser(tx, found.id))
  if (!user) throw new AuthError(404, 'user_not_found', 'User with this email not found')
  if (type === 'magiclink' || type === 'recovery') {
    await writeAudit(tx, user, 'user_recovery_requested', o.ip)
  }
  return user
}

/** Stores the requested address. A link for the other address stays valid if it is for the same change. */
async function beginEmailChange(
  settings: AuthSettings,
  tx: Transaction,
  type: AdminLinkType,
  user: UserRow,
  o: LinkRequest,
): Promise<string> {
  if (type === 'email_change_current' && !settings.email.doubleConfirmChanges) {
    throw invalid('Enable secure email change to generate link for current email')
  }
  const newEmail = validateEmail(o.newEmail)
  if (await findOwnerOfEmail(tx, newEmail, user.id)) throw emailTakenError()
  await tx.query(
    `update auth.users set email_change = $2, email_change_confirm_status = 0, updated_at = now()
     where id = $1`,
    [user.id, newEmail],
  )
  // On hosted Supabase it stays valid, so the confirmation of one address counts for another.
  if (user.email_change !== newEmail) {
    await tx.query(
      `update auth.users set email_change_token_current = '', email_change_token_new = '' where id = $1`,
      [user.id],
    )
    await tx.query(
      `delete from auth.one_time_tokens where user_id = $1
         and token_type in ('email_change_token_new', 'email_change_token_current')`,
      [user.id],
    )
  }
  return newEmail
}
