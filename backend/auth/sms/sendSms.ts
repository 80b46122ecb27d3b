import type { Transaction } from '../Transaction.ts'
import type { AuthContext, SmsContext } from '../AuthContext.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import { callHook } from '../hooks/callHook.ts'
import { createCode } from '../rows/oneTimeToken.ts'
import { renderUser, type UserRow } from '../rows/user.ts'
import { callOutside, makeOnce } from '../transact.ts'
import { SmsProviderError, type SmsMessage, type SmsChannel, type SmsProvider } from './SmsProvider.ts'
import type { AuthSettings } from '../settings/authSettings.ts'
import type { Logger } from '../../logging/logger.ts'

/** The purpose of a text message, in GoTrue's names. */
export type SmsPurpose = 'confirmation' | 'phone_change' | 'reauthentication' | 'mfa'

/** A random code for a number; for a number of `test_otp`, its configured code. */
export function createSmsCode(
  settings: AuthSettings,
  tx: Transaction,
  phone: string,
  length: number,
): string {
  const fixed = settings.sms.testCodes.get(phone)
  return fixed ?? makeOnce(tx, `code ${phone}`, () => createCode(length))
}

/** Whether text messages are limited: in the mailbox they cost nothing. */
export function isSmsLimited(ctx: Pick<AuthContext, 'settings' | 'sms'>): boolean {
  return Boolean(ctx.settings.hooks.send_sms) || ctx.sms.provider !== null || ctx.sms.addToMailbox === null
}

/**
 * Sends a code with the send_sms hook or the SMS provider, before the transaction commits, so that nothing is
 * stored if sending fails; without either it is added to the mailbox after the commit. Nothing is sent to
 * numbers of `test_otp`.
 * @param o.code from createSmsCode
 * @param o.message the text, which contains `code`
 * @param o.isBackground sends after the commit without waiting: if the number may have no account, neither an
 *   error nor the time that sending takes must reveal it
 * @param o.ip the client's IP address, for the hook
 * @returns the provider's id of the message; null if there is none
 * @throws AuthError 422 sms_send_failed, 429 over_sms_send_rate_limit, or the hook's error
 */
export async function sendSms(
  ctx: SmsContext,
  tx: Transaction,
  o: {
    user: UserRow
    phone: string
    code: string
    message: string
    channel?: SmsChannel
    type: SmsPurpose
    isBackground?: boolean
    areLimitsChecked?: boolean
    ip: string
  },
): Promise<string | null> {
  const { phone, code, message, channel = 'sms' } = o
  if (ctx.settings.sms.testCodes.get(phone) === code) return 'test-otp'
  const { provider, addToMailbox } = ctx.sms
  const text: SmsMessage = { phone, message, code, channel }
  if (addToMailbox && !isSmsLimited(ctx)) {
    tx.afterCommit(() => addToMailbox(text))
    return null
  }
  if (!o.areLimitsChecked) makeOnce(tx, 'text', () => ctx.limits.countSms())
  const sms = { otp: code, ...(o.type === 'mfa' ? { sms_type: 'mfa' } : {}), phone }
  const hookResponse = await callHook(ctx, tx, 'send_sms', { user: renderUser(o.user), sms }, { ip: o.ip })
  if (hookResponse) return null
  if (!o.isBackground) {
    return callOutside(tx, `text ${JSON.stringify(text)}`, () =>
      sendWithProvider(ctx.log, provider, text, o.type),
    )
  }
  tx.afterCommit(() => ctx.sms.track(sendWithProvider(ctx.log, provider, text, o.type)))
  return null
}

async function sendWithProvider(
  log: Logger,
  provider: SmsProvider | null,
  text: SmsMessage,
  type: SmsPurpose,
): Promise<string | null> {
  try {
    if (!provider) throw new SmsProviderError('no provider is configured')
    return (await provider.send(text)) || null
  } catch (error) {
    if (!(error instanceof SmsProviderError)) throw error
    log.warn('auth.sms_failed', {
      type,
      reason: redact(String(error.cause ?? error.message), text.code),
    })
    const message = `Error sending ${type} OTP to provider: ${redact(error.message, text.code)}`
    throw new AuthError(422, 'sms_send_failed', message, { cause: error })
  }
}

/** Providers repeat the text that they reject: its code must not be logged or returned. */
function redact(reason: string, code: string): string {
  return reason.replaceAll(code, '…').slice(0, 300)
}

/** Validates the channel of a request. Throws AuthError 400 if it is not supported. */
export function checkSmsChannel(
  ctx: Pick<AuthContext, 'settings' | 'sms'>,
  channel: string | undefined,
): SmsChannel {
  // Hosted Supabase does not validate it if a hook sends messages.
  if (ctx.settings.hooks.send_sms) return channel === 'whatsapp' ? 'whatsapp' : 'sms'
  const channels = ctx.sms.provider?.channels ?? (['sms', 'whatsapp'] as const)
  const found = channels.find((one) => one === (channel || 'sms'))
  if (found) return found
  const message =
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider."
  throw invalid(message)
}
