import type { AuthContext } from '../AuthContext.ts'
import { checkSendFrequency } from '../guards/checkSendFrequency.ts'

/**
 * Answers for an address or number that nobody has as for one that somebody has: once well, then 429 for a while.
 * @param kind of message, as each has its own wait
 */
export function waitLikeKnown(ctx: AuthContext, by: 'email' | 'sms', kind: string, contact: string): void {
  const { maxFrequency } = ctx.settings[by]
  checkSendFrequency(by, ctx.limits.lastAskedInVain(kind, contact, maxFrequency), maxFrequency)
}
