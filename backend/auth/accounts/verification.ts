import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../asking/AuthError.ts'
import { writeAudit } from '../audit.ts'
import { findUserById, lockUser } from '../rows/findUser.ts'
import { findTokenOwner, hashCode, pkcePrefix, sentColumn, type TokenType } from '../rows/oneTimeToken.ts'
import {
  clearTokens,
  confirmUser,
  refreshProviders,
  setOwnIdentity,
  verifyEmailIdentity,
} from '../rows/updateUser.ts'
import { isBanned, toDate, type UserRow } from '../rows/user.ts'

/** What a link or code is for, once that is known. */
export type VerifiedType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change'

/** Which tokens each `type` of a request may stand for; "email" is any that signs in. */
const tokensOf: Record<string, TokenType[]> = {
  email: ['confirmation_token', 'recovery_token'],
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  recovery: ['recovery_token'],
  magiclink: ['recovery_token'],
  email_change: ['email_change_token_current', 'email_change_token_new'],
}

/** A token that was presented and fits, its owner locked until the transaction ends. */
export interface Presented {
  user: UserRow
  type: VerifiedType
  token: TokenType
}

/** Whether a code or link sent then is still good. */
export function isFresh(ctx: AuthContext, sent: string | null): boolean {
  return sent !== null && toDate(sent).getTime() + ctx.settings.email.otpExpiry >= Date.now()
}

/** The owner of a token hash as it stood in a link. Throws AuthError 400, 403. */
export async function presentHash(
  ctx: AuthContext,
  client: pg.Client,
  type: string,
  hash: string,
): Promise<Presented> {
  const kinds = Object.hasOwn(tokensOf, type) ? tokensOf[type] : undefined
  if (!kinds) throw new AuthError(400, 'validation_failed', 'Invalid email verification type')
  return present(ctx, client, {
    type,
    kinds,
    hashes: [hash],
    refusal: 'Email link is invalid or has expired',
  })
}

/** The owner of a code that was typed in. Throws AuthError 403, alike for unknown addresses. */
export async function presentCode(
  ctx: AuthContext,
  client: pg.Client,
  o: { type: string; email: string; code: string },
): Promise<Presented> {
  const refusal = 'Token has expired or is invalid'
  const kinds = Object.hasOwn(tokensOf, o.type) ? tokensOf[o.type] : undefined
  if (!kinds) throw new AuthError(403, 'otp_expired', refusal)
  const hash = hashCode(o.email, o.code)
  // The same code works whether its link was to end in a PKCE code or not.
  const hashes = [hash, pkcePrefix + hash]
  const presented = await present(ctx, client, { type: o.type, kinds, hashes, refusal })
  const { email, email_change: next } = presented.user
  // The hash runs address and code together, so another split of the same letters would fit it too.
  if (email?.toLowerCase() !== o.email && (o.type !== 'email_change' || next !== o.email)) {
    throw new AuthError(403, 'otp_expired', refusal)
  }
  return presented
}

async function present(
  ctx: AuthContext,
  client: pg.Client,
  o: { type: string; kinds: TokenType[]; hashes: string[]; refusal: string },
): Promise<Presented> {
  const refused = (): AuthError => new AuthError(403, 'otp_expired', o.refusal)
  const found = await findTokenOwner(client, o.hashes, o.kinds)
  const user = found && (await lockUser(client, found.userId))
  if (!user) throw refused()
  // Asked again under the lock: of two that present a token at once, the second finds it gone.
  const still = await findTokenOwner(client, o.hashes, o.kinds)
  if (still?.userId !== user.id) throw refused()
  if (isBanned(user)) throw new AuthError(403, 'user_banned', 'User is banned')
  if (!isFresh(ctx, user[sentColumn[still.type]])) throw refused()
  const resolved = still.type === 'recovery_token' ? 'magiclink' : 'signup'
  const type = o.type === 'email' ? resolved : (o.type as VerifiedType)
  return { user, type, token: still.type }
}

/**
 * Does what the token stands for and ends it. Null when a change of address still waits for the other
 * address's word; else the user as the database now has them.
 */
export async function accept(
  ctx: AuthContext,
  client: pg.Client,
  presented: Presented,
  ip: string,
): Promise<UserRow | null> {
  const { user, type } = presented
  if (type === 'email_change') {
    if (!(await acceptEmailChange(ctx, client, presented, ip))) return null
  } else {
    await client.query(`update auth.users set ${presented.token} = '', updated_at = now() where id = $1`, [
      user.id,
    ])
    const first = user.email_confirmed_at === null || type === 'signup' || type === 'invite'
    await writeAudit(client, user, first ? 'user_signedup' : 'login', ip, { provider: 'email' })
    if (first) {
      await confirmUser(client, user)
      if (user.email) await verifyEmailIdentity(client, user.id, user.email)
    } else {
      await clearTokens(client, user.id)
    }
  }
  await refreshProviders(client, user.id)
  return findUserById(client, user.id)
}

/** Whether the change is done; false after the first of two words. */
async function acceptEmailChange(
  ctx: AuthContext,
  client: pg.Client,
  { user, token }: Presented,
  ip: string,
): Promise<boolean> {
  const needsBoth =
    !ctx.settings.email.autoconfirm && ctx.settings.email.doubleConfirmChanges && (user.email ?? '') !== ''
  if (needsBoth && user.email_change_confirm_status === 0) {
    await client.query(
      `update auth.users set email_change_confirm_status = 1, ${token} = '', updated_at = now() where id = $1`,
      [user.id],
    )
    await client.query('delete from auth.one_time_tokens where user_id = $1 and token_type = $2', [
      user.id,
      token,
    ])
    return false
  }
  await writeAudit(client, user, 'user_modified', ip)
  await changeEmail(client, user)
  return true
}

/** Makes the address that was asked for the user's own. Throws AuthError 422 where it is taken by now. */
export async function changeEmail(client: pg.Client, user: UserRow): Promise<void> {
  const email = user.email_change ?? ''
  await setOwnIdentity(client, user.id, { provider: 'email', email, verified: true })
  try {
    await client.query(
      `update auth.users set email = $2, email_change = '', email_change_token_current = '',
         email_change_token_new = '', email_change_confirm_status = 0, is_anonymous = false,
         updated_at = now()
       where id = $1`,
      [user.id, email],
    )
  } catch (error) {
    if ((error as { code?: string }).code !== '23505') throw error
    const message = 'A user with this email address has already been registered'
    throw new AuthError(422, 'email_exists', message, { cause: error })
  }
  await clearTokens(client, user.id)
  if (user.email_confirmed_at === null) await confirmUser(client, user)
}
