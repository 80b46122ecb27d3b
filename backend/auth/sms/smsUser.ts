import type { Transaction } from '../Transaction.ts'
import type { SmsContext } from '../AuthContext.ts'
import { checkCooldown } from '../limits/checkCooldown.ts'
import { hashCode, sentAtColumn, storeToken, type TokenType } from '../rows/oneTimeToken.ts'
import { toDate, type UserRow } from '../rows/user.ts'
import { createSmsCode, sendSms, type SmsPurpose } from './sendSms.ts'
import type { SmsChannel } from './SmsProvider.ts'

const tokens = {
  confirmation: 'confirmation_token',
  phone_change: 'phone_change_token',
  reauthentication: 'reauthentication_token',
} as const satisfies Partial<Record<SmsPurpose, TokenType>>

/**
 * Sends a code to the user's own number, or to the requested new one, and stores its hash.
 * @param o.phone for `phone_change` the new number, else the user's own
 * @returns the provider's id of the message; null if there is none
 * @throws AuthError 429 over_sms_send_rate_limit, and what sendSms throws
 */
export async function smsUser(
  ctx: SmsContext,
  tx: Transaction,
  o: {
    user: UserRow
    phone: string
    type: keyof typeof tokens
    channel?: SmsChannel
    /** Whether the response does not depend on the delivery. */
    isBackground?: boolean
    /** Whether withMessageLimits has checked the limits. */
    areLimitsChecked?: boolean
    ip: string
  },
): Promise<string | null> {
  const { user, phone } = o
  const { sms } = ctx.settings
  const token = tokens[o.type]
  const sentAt = o.areLimitsChecked ? null : user[sentAtColumn[token]]
  checkCooldown('sms', sentAt === null ? null : toDate(sentAt), sms.cooldownMs)
  const code = createSmsCode(ctx.settings, tx, phone, sms.otpLength)
  if (o.type === 'phone_change') {
    await tx.query('update auth.users set phone_change = $2, updated_at = now() where id = $1', [
      user.id,
      phone,
    ])
  }
  await storeToken(tx, {
    userId: user.id,
    type: token,
    hash: hashCode(ctx.keys, phone, code),
    address: phone,
  })
  // Last, so that nothing is sent if its hash cannot be stored.
  return sendSms(ctx, tx, { ...o, code, message: sms.template({ Code: code }) })
}
