import type { SmsContext } from '../AuthContext.ts'
import { rejectDuringCooldown } from '../limits/checkCooldown.ts'
import { padResponseTime } from '../limits/padResponseTime.ts'
import { isMailLimited } from '../mail/sendMails.ts'
import { isSmsLimited } from '../sms/sendSms.ts'
import type { Contact } from './contact.ts'
import { AuthError } from '../http/AuthError.ts'

/**
 * Runs `work`, which may send a message to an email address or phone number that anyone can name. The limits
 * are checked before the account is looked up, so that the result is the same whether or not there is one: one
 * message at a time, one each `max_frequency` of whatever kind, and the limit per hour. GoTrue has these limits
 * for existing accounts only.
 * @throws AuthError 429; what `work` throws, after which there is no cooldown
 */
export async function withMessageLimits<T>(
  ctx: SmsContext,
  contact: Pick<Contact, 'provider'> & { email?: string; phone?: string },
  work: () => Promise<T>,
): Promise<T> {
  const by = contact.provider === 'email' ? 'email' : 'sms'
  const to = (by === 'email' ? contact.email : contact.phone) ?? ''
  const { cooldownMs } = ctx.settings[by]
  const key = `${by} ${to}`
  rejectDuringCooldown(by, ctx.limits.startCooldown(key, cooldownMs))
  try {
    if (by === 'email' && isMailLimited(ctx.settings)) ctx.limits.countMail(to)
    if (by === 'sms' && isSmsLimited(ctx) && !ctx.settings.sms.testCodes.has(to)) ctx.limits.countSms()
    return await padResponseTime(work)
  } catch (error) {
    ctx.limits.endCooldown(key)
    throw error
  }
}

/**
 * Runs `work`, which depends on whether there is an account, without revealing it: errors are only logged, and
 * a hook that sends the message is not awaited, since it takes longer than everything else.
 */
export async function hideAccountExistence(
  ctx: SmsContext,
  by: 'email' | 'sms',
  work: () => Promise<unknown>,
): Promise<void> {
  const done = work().then(
    () => {},
    (error: unknown) => {
      if (!(error instanceof AuthError)) throw error
      ctx.log.error('auth.message_failed', { reason: error.message })
    },
  )
  if (!ctx.settings.hooks[by === 'email' ? 'send_email' : 'send_sms']) return done
  ctx.sms.track(done)
}
