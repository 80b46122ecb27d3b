import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { refuseBanned } from '../http/refuseBanned.ts'
import { findUserByPhone, findUserByPhoneChange, lockUser } from '../rows/findUser.ts'
import { findTokenOwner, hashCode, pkcePrefix, sentColumn, type TokenType } from '../rows/oneTimeToken.ts'
import { toDate, type UserRow } from '../rows/user.ts'

/** What a link or code is for, once that is known. */
export type VerifiedType =
  | 'signup'
  | 'invite'
  | 'recovery'
  | 'magiclink'
  | 'email_change'
  | 'sms'
  | 'phone_change'

/** Which tokens each `type` of a request may stand for; "email" is any that signs in. */
const tokensOf: Record<string, TokenType[]> = {
  email: ['confirmation_token', 'recovery_token'],
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  recovery: ['recovery_token'],
  magiclink: ['recovery_token'],
  email_change: ['email_change_token_current', 'email_change_token_new'],
}
const textTokens = { sms: 'confirmation_token', phone_change: 'phone_change_token' } as const

/** A token that was presented and fits, its owner locked until the transaction ends. */
export interface Presented {
  user: UserRow
  type: VerifiedType
  token: TokenType
}

/** Whether a code or link that was sent then is still good. */
export function isFresh(sent: string | null, expiry: number): boolean {
  return sent !== null && toDate(sent).getTime() + expiry >= Date.now()
}

const wrongCode = (): AuthError => new AuthError(403, 'otp_expired', 'Token has expired or is invalid')
const wrongLink = (): AuthError => new AuthError(403, 'otp_expired', 'Email link is invalid or has expired')

/** The owner of a token hash as it stood in a link. Throws AuthError 400, 403. */
export async function presentHash(
  ctx: AuthContext,
  client: pg.Client,
  type: string,
  hash: string,
): Promise<Presented> {
  const kinds = Object.hasOwn(tokensOf, type) ? tokensOf[type] : undefined
  if (!kinds) throw new AuthError(400, 'validation_failed', 'Invalid email verification type')
  const presented = await present(client, [hash], kinds, wrongLink)
  // Codes to phones are confirmation tokens as well, and hosted takes their hash for the proof of an address.
  if (!presented.relatesTo.includes('@')) throw wrongLink()
  return judge(presented, type, ctx.settings.email.otpExpiry, wrongLink)
}

/** The owner of a code that was typed in. Throws AuthError 403, alike for unknown addresses. */
export async function presentCode(
  ctx: AuthContext,
  client: pg.Client,
  o: { type: string; email: string; code: string },
): Promise<Presented> {
  const kinds = Object.hasOwn(tokensOf, o.type) ? tokensOf[o.type] : undefined
  if (!kinds) throw wrongCode()
  const hash = hashCode(ctx.keys, o.email, o.code)
  // The same code works whether its link was to end in a PKCE code or not.
  const presented = await present(client, [hash, pkcePrefix + hash], kinds, wrongCode)
  // The hash runs address and code together, so another split of the same letters would fit it too.
  if (presented.relatesTo !== o.email) throw wrongCode()
  return judge(presented, o.type, ctx.settings.email.otpExpiry, wrongCode)
}

/**
 * The owner of a code that came as a text. Throws AuthError 403, alike for unknown numbers.
 * @param o.approved whether the service that made the code has said that this is it; null where we made it
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
    // What the service approves may be the code of a second factor; only who asked for this may use it for this.
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
  /** The address or number that it was sent to. */
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
  // Asked again under the lock: of two that present a token at once, the second finds it gone.
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
