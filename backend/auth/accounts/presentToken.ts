import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { refuseBanned } from '../http/refuseBanned.ts'
import { findUserByPhone, findUserByPhoneChange, lockUser } from '../rows/findUser.ts'
import { findTokenOwner, hashCode, pkcePrefix, sentColumn, type TokenType } from '../rows/oneTimeToken.ts'
import { toDate, type UserRow } from '../rows/user.ts'

/** The purpose of a link or code, once it is known. */
export type VerifiedType =
  | 'signup'
  | 'invite'
  | 'recovery'
  | 'magiclink'
  | 'email_change'
  | 'sms'
  | 'phone_change'

/** The token types that each `type` of a request accepts; "email" accepts each that signs in. */
const tokensOf: Record<string, TokenType[]> = {
  email: ['confirmation_token', 'recovery_token'],
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  recovery: ['recovery_token'],
  magiclink: ['recovery_token'],
  email_change: ['email_change_token_current', 'email_change_token_new'],
}
const textTokens = { sms: 'confirmation_token', phone_change: 'phone_change_token' } as const

/** A verified token, whose user is locked until the transaction ends. */
export interface Presented {
  user: UserRow
  type: VerifiedType
  token: TokenType
}

/** Whether a code or link that was sent at this time is still valid. */
export function isFresh(sent: string | null, expiry: number): boolean {
  return sent !== null && toDate(sent).getTime() + expiry >= Date.now()
}

const wrongCode = (): AuthError => new AuthError(403, 'otp_expired', 'Token has expired or is invalid')
const wrongLink = (): AuthError => new AuthError(403, 'otp_expired', 'Email link is invalid or has expired')

/** Verifies the token hash of a link. Throws AuthError 400, 403. */
export async function presentHash(
  ctx: AuthContext,
  client: pg.Client,
  type: string,
  hash: string,
): Promise<Presented> {
  const kinds = Object.hasOwn(tokensOf, type) ? tokensOf[type] : undefined
  if (!kinds) throw new AuthError(400, 'validation_failed', 'Invalid email verification type')
  const presented = await present(client, [hash], kinds, wrongLink)
  // Codes that were sent by SMS are confirmation tokens too; hosted Supabase accepts their hash as confirmation
  // of an email address.
  if (!presented.relatesTo.includes('@')) throw wrongLink()
  return judge(presented, type, ctx.settings.email.otpExpiry, wrongLink)
}

/** Verifies a code that was sent by mail. Throws AuthError 403, the same for unknown addresses. */
export async function presentCode(
  ctx: AuthContext,
  client: pg.Client,
  o: { type: string; email: string; code: string },
): Promise<Presented> {
  const kinds = Object.hasOwn(tokensOf, o.type) ? tokensOf[o.type] : undefined
  if (!kinds) throw wrongCode()
  const hash = hashCode(ctx.keys, o.email, o.code)
  // The code of a mail is valid whether or not its link uses PKCE.
  const presented = await present(client, [hash, pkcePrefix + hash], kinds, wrongCode)
  // The hash is of the concatenated address and code, so another split of the same text has the same hash.
  if (presented.relatesTo !== o.email) throw wrongCode()
  return judge(presented, o.type, ctx.settings.email.otpExpiry, wrongCode)
}

/**
 * Verifies a code that was sent by SMS. Throws AuthError 403, the same for unknown numbers.
 * @param o.approved whether the SMS provider that created the code accepts it; null if this server created it
 */
export async function presentTextCode(
  ctx: AuthContext,
  client: pg.Client,
  o: { type: string; phone: string; code: string; approved: boolean | null },
): Promise<Presented> {
  const { type, phone, code } = o
  const { sms } = ctx.settings
  if (type !== 'sms' && type !== 'phone_change') throw wrongCode()
  const token = textTokens[type]
  if (sms.testCodes.get(phone) === code || o.approved !== null) {
    if (o.approved === false) throw wrongCode()
    const found = await (type === 'sms' ? findUserByPhone : findUserByPhoneChange)(client, phone)
    const user = found && (await lockUser(client, found.id))
    if (!user || (type === 'sms' ? user.phone : user.phone_change) !== phone) throw wrongCode()
    refuseBanned(user)
    // The provider may accept a code of a second factor; it counts here only if this kind of code was
    // requested.
    const isAsked = Boolean(user[token]) && isFresh(user[sentColumn[token]], sms.otpExpiry)
    if (o.approved !== null && !isAsked) throw wrongCode()
    return { user, type, token }
  }
  const presented = await present(client, [hashCode(ctx.keys, phone, code)], [token], wrongCode)
  if (presented.relatesTo !== phone) throw wrongCode()
  return judge(presented, type, sms.otpExpiry, wrongCode)
}

interface Found {
  user: UserRow
  token: TokenType
  /** The email address or phone number that it was sent to. */
  relatesTo: string
}

async function present(
  client: pg.Client,
  hashes: string[],
  kinds: TokenType[],
  refusal: () => AuthError,
): Promise<Found> {
  const found = await findTokenOwner(client, hashes, kinds)
  const user = found && (await lockUser(client, found.userId))
  if (!user) throw refusal()
  // Checked again under the lock: of two requests with the same token, the second finds it deleted.
  const still = await findTokenOwner(client, hashes, kinds)
  if (still?.userId !== user.id) throw refusal()
  return { user, token: still.type, relatesTo: still.relatesTo }
}

function judge({ user, token }: Found, asked: string, expiry: number, refusal: () => AuthError): Presented {
  refuseBanned(user)
  if (!isFresh(user[sentColumn[token]], expiry)) throw refusal()
  const resolved = token === 'recovery_token' ? 'magiclink' : 'signup'
  return { user, token, type: asked === 'email' ? resolved : (asked as VerifiedType) }
}
