import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { callHook } from '../hooks/callHook.ts'
import { createCode } from '../rows/oneTimeToken.ts'
import { renderUser, type UserRow } from '../rows/user.ts'
import { callOutside, makeOnce } from '../transact.ts'
import { TextServiceError, type Text, type TextChannel, type TextService } from './TextService.ts'

/** The purpose of a text message, in GoTrue's names. */
export type TextPurpose = 'confirmation' | 'phone_change' | 'reauthentication' | 'mfa'

/** A random code for a number; for a number of `test_otp`, its configured code. */
export function createTextCode(ctx: AuthContext, client: pg.Client, phone: string, length: number): string {
  const fixed = ctx.settings.sms.testCodes.get(phone)
  return fixed ?? makeOnce(client, `code ${phone}`, () => createCode(length))
}

/** Whether text messages are limited: in the mailbox they cost nothing. */
export function countsTexts(ctx: AuthContext): boolean {
  return Boolean(ctx.settings.hooks.send_sms) || ctx.texts.service !== null || ctx.texts.keep === null
}

/**
 * Sends a code with the send_sms hook or the SMS provider, before the transaction commits, so that nothing is
 * stored if sending fails; without either it is added to the mailbox after the commit. Nothing is sent to
 * numbers of `test_otp`.
 * @param o.code from createTextCode
 * @param o.message the text, which contains `code`
 * @param o.unawaited sends after the commit without waiting: if the number may have no account, neither an
 *   error nor the time that sending takes must reveal it
 * @param o.ip the client's IP address, for the hook
 * @returns the provider's id of the message; null if there is none
 * @throws AuthError 422 sms_send_failed, 429 over_sms_send_rate_limit, or the hook's error
 */
export async function sendText(
  ctx: AuthContext,
  client: pg.Client,
  o: {
    user: UserRow
    phone: string
    code: string
    message: string
    channel?: TextChannel
    type: TextPurpose
    unawaited?: boolean
    isAdmitted?: boolean
    ip: string
    later: (deed: () => void) => void
  },
): Promise<string | null> {
  const { phone, code, message, channel = 'sms' } = o
  if (ctx.settings.sms.testCodes.get(phone) === code) return 'test-otp'
  const { service, keep } = ctx.texts
  const text: Text = { phone, message, code, channel }
  if (keep && !countsTexts(ctx)) {
    o.later(() => keep(text))
    return null
  }
  if (!o.isAdmitted) makeOnce(client, 'text', () => ctx.limits.countSms())
  const sms = { otp: code, ...(o.type === 'mfa' ? { sms_type: 'mfa' } : {}), phone }
  const answer = await callHook(ctx, client, 'send_sms', { user: renderUser(o.user), sms }, { ip: o.ip })
  if (answer) return null
  if (!o.unawaited) {
    return callOutside(client, `text ${JSON.stringify(text)}`, () => handOver(ctx, service, text, o.type))
  }
  o.later(() => ctx.texts.underWay(handOver(ctx, service, text, o.type)))
  return null
}

async function handOver(
  ctx: AuthContext,
  service: TextService | null,
  text: Text,
  type: TextPurpose,
): Promise<string | null> {
  try {
    if (!service) throw new TextServiceError('no provider is configured')
    return (await service.send(text)) || null
  } catch (error) {
    if (!(error instanceof TextServiceError)) throw error
    ctx.log.warn('auth.text_failed', {
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
export function checkTextChannel(ctx: AuthContext, channel: string | undefined): TextChannel {
  // Hosted Supabase does not validate it if a hook sends messages.
  if (ctx.settings.hooks.send_sms) return channel === 'whatsapp' ? 'whatsapp' : 'sms'
  const channels = ctx.texts.service?.channels ?? (['sms', 'whatsapp'] as const)
  const found = channels.find((one) => one === (channel || 'sms'))
  if (found) return found
  const message =
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider."
  throw new AuthError(400, 'validation_failed', message)
}
