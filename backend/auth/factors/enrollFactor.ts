import type { Transaction } from '../Transaction.ts'
import type { RelyingPartyContext, TransactionContext } from '../AuthContext.ts'
import { validatePhone } from '../accounts/validateEmail.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import type { AuthenticatedUser } from '../http/authenticate.ts'
import type { Body } from '../http/readBody.ts'
import { writeAudit } from '../audit.ts'
import { readRelyingParty } from '../passkeys/ceremony.ts'
import { lockUser } from '../rows/findUser.ts'
import type { UserRow } from '../rows/user.ts'
import { lockSession } from '../sessions/upgradeSession.ts'
import { transact } from '../transact.ts'
import { factorMethods, listFactors, storeFactor, type Factor, type FactorType } from './factor.ts'
import { createTotp } from './totp.ts'
import type { AuthSettings } from '../settings/authSettings.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'

export const enrollFields = {
  friendly_name: 'string',
  factor_type: 'string',
  issuer: 'string',
  phone: 'string',
} as const
type EnrollBody = Body<typeof enrollFields>

/** The maximum of verified factors on hosted Supabase, independent of its settings. */
const maxVerified = 10

/** Names are indexed, and index entries are limited in size. */
const maxNameLength = 255

/**
 * Creates an unverified factor. Sign-in does not require it until it is verified. Returns the response for the
 * client.
 */
export async function enrollFactor(
  ctx: TransactionContext & RelyingPartyContext,
  o: { me: AuthenticatedUser; body: EnrollBody; ip: string },
): Promise<Record<string, unknown>> {
  const { me, body } = o
  const type = checkType(ctx.settings, body.factor_type ?? '')
  const friendlyName = checkFactorName(body.friendly_name ?? '')
  const phone = type === 'phone' ? readPhone(body.phone) : null
  const totp = type === 'totp' ? createLabelledTotp(ctx, me.user, body.issuer) : null
  const id = await transact(ctx, async (tx) => {
    const user = await lockUser(tx, me.user.id)
    if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
    const session = await lockSession(tx, user.id, me.session?.id)
    if (phone !== null) await deleteUnverifiedPhone(tx, user.id, phone)
    await checkEnrollable(ctx.settings, tx, { userId: user.id, friendlyName, isAal2: session.isAal2 })
    const id = await storeFactor(tx, {
      userId: user.id,
      type,
      friendlyName,
      ...(totp ? { secret: totp.secret } : {}),
      ...(phone === null ? {} : { phone }),
    })
    await writeAudit(tx, user, 'factor_in_progress', o.ip, {
      factor_id: id,
      ...(type === 'totp' ? {} : { factor_type: type }),
    })
    return id
  })
  return {
    id,
    type,
    friendly_name: friendlyName,
    ...(totp ? { totp: { qr_code: totp.qrCode, secret: totp.secret, uri: totp.uri } } : {}),
    ...(type === 'phone' ? { phone: body.phone } : {}),
  }
}

/** Returns the name of a factor. Throws AuthError 400 if it is too long. */
export function checkFactorName(name: string): string {
  if ([...name].length <= maxNameLength) return name
  throw invalid(`friendly_name must be ${maxNameLength} characters or less`)
}

function checkType(settings: AuthSettings, type: string): FactorType {
  if (!Object.hasOwn(factorMethods, type)) {
    throw invalid('factor_type needs to be totp, phone, or webauthn')
  }
  const { totp, phone, webauthn } = settings.factors
  if (type === 'phone' && !phone.enroll) {
    throw new AuthError(422, 'mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone')
  }
  if (type === 'totp' && !totp.enroll) {
    throw new AuthError(422, 'mfa_totp_enroll_not_enabled', 'MFA enroll is disabled for TOTP')
  }
  if (type === 'webauthn' && !webauthn.enroll) {
    throw new AuthError(422, 'mfa_webauthn_enroll_not_enabled', 'MFA enroll is disabled for WebAuthn')
  }
  return type as FactorType
}

function readPhone(text: string | undefined): string {
  if (!text) throw invalid('Phone number required to enroll Phone factor')
  return validatePhone(text)
}

/**
 * Creates a TOTP secret with a label. Users without an email address are labelled by phone number. (Hosted Supabase
 * fails without a label.)
 */
function createLabelledTotp(ctx: RelyingPartyContext, user: UserRow, issuer: string | undefined) {
  const label = user.email || user.phone || user.id
  const site = parseUrl(ctx.siteUrl())?.host ?? ''
  const totp = createTotp({ issuer: issuer || site || readRelyingParty(ctx).id, label })
  if (!totp) throw invalid('issuer is too long for a QR code')
  return totp
}

/** Deletes an unverified factor of the same number, so that it can be enrolled again. */
async function deleteUnverifiedPhone(tx: Transaction, userId: string, phone: string): Promise<void> {
  await tx.query(
    `delete from auth.mfa_factors
     where user_id = $1 and phone = $2 and factor_type = 'phone' and status = 'unverified'`,
    [userId, phone],
  )
  const factors = await listFactors(tx, userId)
  if (factors.some((factor) => factor.phone === phone)) throw factorPhoneTakenError()
}

/** Creates the error for a number that the user has enrolled already. */
export function factorPhoneTakenError(): AuthError {
  const message = 'A verified phone factor already exists, unenroll the existing factor to continue'
  return new AuthError(422, 'mfa_verified_factor_exists', message)
}

async function checkEnrollable(
  settings: AuthSettings,
  tx: Transaction,
  o: { userId: string; friendlyName: string; isAal2: boolean },
): Promise<void> {
  await deleteAbandonedFactors(tx, o.userId)
  const factors = await listFactors(tx, o.userId)
  if (factors.some((factor) => factor.friendlyName === o.friendlyName)) throw nameTakenError(o.friendlyName)
  const verified = factors.filter((factor) => factor.verified).length
  if (factors.length >= settings.factors.maxPerUser || verified >= maxVerified) {
    const message = 'Maximum number of verified factors reached, unenroll to continue'
    throw new AuthError(422, 'too_many_enrolled_mfa_factors', message)
  }
  if (verified > 0 && !o.isAal2) {
    throw new AuthError(403, 'insufficient_aal', 'AAL2 required to enroll a new factor')
  }
}

/**
 * Creates the error for a name that another factor has. Names are unique, since users choose a factor by its name.
 */
export function nameTakenError(friendlyName: Factor['friendlyName']): AuthError {
  const message = `A factor with the friendly name ${JSON.stringify(friendlyName)} for this user already exists`
  return new AuthError(422, 'mfa_factor_name_conflict', message)
}

/** Deletes factors that were enrolled more than five minutes ago and never challenged. */
async function deleteAbandonedFactors(tx: Transaction, userId: string): Promise<void> {
  await tx.query(
    `delete from auth.mfa_factors f where user_id = $1 and status = 'unverified'
       and created_at < now() - interval '5 minutes'
       and not exists (select 1 from auth.mfa_challenges c where c.factor_id = f.id)`,
    [userId],
  )
}
