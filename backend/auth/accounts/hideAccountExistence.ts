import type { SmsContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'

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
