import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { askHook } from '../hooks/askHook.ts'
import { createCode } from '../rows/oneTimeToken.ts'
import { renderUser, type UserRow } from '../rows/user.ts'
import { callOutside, makeOnce } from '../transact.ts'
import { TextServiceError, type Text, type TextChannel, type TextService } from './TextService.ts'

/** What a text is for, by the names of the contract. */
export type TextPurpose = 'confirmation' | 'phone_change' | 'reauthentication' | 'mfa'

/** A fresh code for a number; for one of `test_otp` the code that the configuration gives it. */
export function createTextCode(ctx: AuthContext, client: pg.Client, phone: string, length: number): string {
  const fixed = ctx.settings.sms.testCodes.get(phone)
  return fixed ?? makeOnce(client, `code ${phone}`, () => createCode(length))
}

/** Whether texts have a limit: in the house they cost nothing. */
export function countsTexts(ctx: AuthContext): boolean {
  return Boolean(ctx.settings.hooks.send_sms) || ctx.texts.service !== null || ctx.texts.keep === null
}

/**
 * Sends a code by the send_sms hook or the configured service, before the transaction commits, so that nothing is
 * stored of a text that did not leave; without either it is shown in the mailbox after the commit. Numbers of `test_otp` are
 * sent nothing.
 * @param o.code from createTextCode
 * @param o.message the whole text, `code` in it
 * @param o.unawaited sends after the commit and says nothing of it: where a number may be nobody's, neither a
 *   failure nor the time that a text takes may tell
 * @param o.ip of whoever asked, for the hook
 * @returns the service's name for the text; null where it has none
 * @throws AuthError 422 sms_send_failed, 429 over_sms_send_rate_limit, whatever the hook refuses with
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
  if (!o.isAdmitted) makeOnce(client, 'text', () => ctx.limits.countText())
  const sms = { otp: code, ...(o.type === 'mfa' ? { sms_type: 'mfa' } : {}), phone }
  const answer = await askHook(ctx, client, 'send_sms', { user: renderUser(o.user), sms }, { ip: o.ip })
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
    if (!service) throw new TextServiceError('there is none')
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

/** Services repeat the text that they refuse: whoever read its code there would pass for the number's owner. */
function redact(reason: string, code: string): string {
  return reason.replaceAll(code, '…').slice(0, 300)
}

/** The channel that a request names. Throws AuthError 400 for one by which nothing is sent. */
export function checkTextChannel(ctx: AuthContext, channel: string | undefined): TextChannel {
  // Hosted doesn't look at it where a hook sends.
  if (ctx.settings.hooks.send_sms) return channel === 'whatsapp' ? 'whatsapp' : 'sms'
  const channels = ctx.texts.service?.channels ?? (['sms', 'whatsapp'] as const)
  const found = channels.find((one) => one === (channel || 'sms'))
  if (found) return found
  const message =
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider."
  throw new AuthError(400, 'validation_failed', message)
}
