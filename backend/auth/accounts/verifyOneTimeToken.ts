import type { Transaction } from '../Transaction.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import { rejectBannedUser } from '../http/authenticate.ts'
import { findUserByPhone, findUserByPhoneChange, lockUser } from '../rows/findUser.ts'
import { findTokenOwner, hashCode, pkcePrefix, sentAtColumn, type TokenType } from '../rows/oneTimeToken.ts'
import { toDate, type UserRow } from '../rows/user.ts'
import type { AuthSettings } from '../settings/authSettings.ts'

/** The purpose of a link or code, once it is known. */
export type VerificationType =
  | 'signup'
  | 'invite'
  | 'recovery'
  | 'magiclink'
  | 'email_change'
  | 'sms'
  | 'phone_change'

/** The token types that each `type` of a request accepts; "email" accepts each that signs in. */
const tokenTypesOf: Record<string, TokenType[]> = {
  email: ['confirmation_token', 'recovery_token'],
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  recovery: ['recovery_token'],
  magiclink: ['recovery_token'],
  email_change: ['email_change_token_current', 'email_change_token_new'],
}
const smsTokenTypes = { sms: 'confirmation_token', phone_change: 'phone_change_token' } as const

/** A verified token, whose user is locked until the transaction ends. */
export interface VerifiedToken {
  user: UserRow
  type: VerificationType
  token: TokenType
}

/** Whether a code or link that was sent at this time is still valid. */
export function isUnexpired(sent: string | null, expiry: number): boolean {
  return sent !== null && toDate(sent).getTime() + expiry >= Date.now()
}

const invalidCode = (): AuthError => new AuthError(403, 'otp_expired', 'Token has expired or is invalid')
const invalidLink = (): AuthError => new AuthError(403, 'otp_expired', 'Email link is invalid or has expired')

/** Verifies the token hash of a link. Throws AuthError 400, 403. */
export async function verifyTokenHash(
  settings: AuthSettings,
  tx: Transaction,
  type: string,
  hash: string,
): Promise<VerifiedToken> {
  const tokenTypes = Object.hasOwn(tokenTypesOf, type) ? tokenTypesOf[type] : undefined
  if (!tokenTypes) throw invalid('Invalid email verification type')
  const found = await findAndLock(tx, [hash], tokenTypes, invalidLink)
  // Codes that were sent by SMS are confirmation tokens too; hosted Supabase accepts their hash as confirmation
  // of an email address.
  if (!found.relatesTo.includes('@')) throw invalidLink()
  return checkFound(found, type, settings.email.otpExpiry, invalidLink)
}

/** Verifies a code that was sent by mail. Throws AuthError 403, the same for unknown addresses. */
export async function verifyMailCode(
  ctx: Pick<AuthContext, 'keys' | 'settings'>,
  tx: Transaction,
  o: { type: string; email: string; code: string },
): Promise<VerifiedToken> {
  const tokenTypes = Object.hasOwn(tokenTypesOf, o.type) ? tokenTypesOf[o.type] : undefined
  if (!tokenTypes) throw invalidCode()
  const hash = hashCode(ctx.keys, o.email, o.code)
  // The code of a mail is valid whether or not its link uses PKCE.
  const found = await findAndLock(tx, [hash, pkcePrefix + hash], tokenTypes, invalidCode)
  // The hash is of the concatenated address and code, so another split of the same text has the same hash.
  if (found.relatesTo !== o.email) throw invalidCode()
  return checkFound(found, o.type, ctx.settings.email.otpExpiry, invalidCode)
}

/**
 * Verifies a code that was sent by SMS. Throws AuthError 403, the same for unknown numbers.
 * @param o.approved whether the SMS provider that created the code accepts it; null if this server created it
 */
export async function verifySmsCode(
  ctx: Pick<AuthContext, 'keys' | 'settings'>,
  tx: Transaction,
  o: { type: string; phone: string; code: string; approved: boolean | null },
): Promise<VerifiedToken> {
  const { type, phone, code } = o
  const { sms } = ctx.settings
  if (type !== 'sms' && type !== 'phone_change') throw invalidCode()
  const token = smsTokenTypes[type]
  if (sms.testCodes.get(phone) === code || o.approved !== null) {
    if (o.approved === false) throw invalidCode()
    const found = await (type === 'sms' ? findUserByPhone : findUserByPhoneChange)(tx, phone)
    const user = found && (await lockUser(tx, found.id))
    if (!user || (type === 'sms' ? user.phone : user.phone_change) !== phone) throw invalidCode()
    rejectBannedUser(user)
    // The provider may accept a code of a second factor; it counts here only if this kind of code was
    // requested.
    const isPending = Boolean(user[token]) && isUnexpired(user[sentAtColumn[token]], sms.otpExpiry)
    if (o.approved !== null && !isPending) throw invalidCode()
    return { user, type, token }
  }
  const found = await findAndLock(tx, [hashCode(ctx.keys, phone, code)], [token], invalidCode)
  if (found.relatesTo !== phone) throw invalidCode()
  return checkFound(found, type, sms.otpExpiry, invalidCode)
}

interface FoundToken {
  user: UserRow
  token: TokenType
  /** The email address or phone number that it was sent to. */
  relatesTo: string
}

async function findAndLock(
  tx: Transaction,
  hashes: string[],
  tokenTypes: TokenType[],
  createError: () => AuthError,
): Promise<FoundToken> {
  const found = await findTokenOwner(tx, hashes, tokenTypes)
  const user = found && (await lockUser(tx, found.userId))
  if (!user) throw createError()
  // Checked again under the lock: of two requests with the same token, the second finds it deleted.
  const current = await findTokenOwner(tx, hashes, tokenTypes)
  if (current?.userId !== user.id) throw createError()
  return { user, token: current.type, relatesTo: current.relatesTo }
}

function checkFound(
  { user, token }: FoundToken,
  requestedType: string,
  expiry: number,
  createError: () => AuthError,
): VerifiedToken {
  rejectBannedUser(user)
  if (!isUnexpired(user[sentAtColumn[token]], expiry)) throw createError()
  const resolved = token === 'recovery_token' ? 'magiclink' : 'signup'
  return { user, token, type: requestedType === 'email' ? resolved : (requestedType as VerificationType) }
}
