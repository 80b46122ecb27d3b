import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'

/**
 * Does what depends on whether there is an account, and does not tell: what is refused is logged alone, and a hook
 * that sends the message is not waited for, as it takes longer than everything else.
 */
export async function answerAlike(
  ctx: AuthContext,
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
  ctx.texts.underWay(done)
}
