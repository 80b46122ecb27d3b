import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../asking/AuthError.ts'
import { inEvenTime } from '../guards/inEvenTime.ts'

/**
 * Does what only who has an account is sent, in even time. What a hook or a service says against it is logged alone:
 * of whom nobody knows it would not be said. To wait (429) everybody is told.
 */
export async function answerAlike(ctx: AuthContext, work: () => Promise<void>): Promise<void> {
  try {
    await inEvenTime(work)
  } catch (error) {
    if (!(error instanceof AuthError) || error.status === 429) throw error
    ctx.log.error('auth.message_failed', { reason: error.message })
  }
}
