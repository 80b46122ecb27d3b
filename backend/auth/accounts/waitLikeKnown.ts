import type { AuthContext } from '../AuthContext.ts'
import { checkSendFrequency } from '../guards/checkSendFrequency.ts'
import { countsMails } from '../mail/sendMails.ts'
import { countsTexts } from '../sms/sendText.ts'

/**
 * Answers for an address or number that nobody has as for one that somebody has: once well, then 429 for a while;
 * and 429 where no message could leave.
 * @param kind of message, as each has its own wait
 */
export function waitLikeKnown(ctx: AuthContext, by: 'email' | 'sms', kind: string, contact: string): void {
  const { maxFrequency } = ctx.settings[by]
  const check = (): void => {
    if (by === 'email' && countsMails(ctx)) ctx.limits.checkMail()
    if (by === 'sms' && countsTexts(ctx)) ctx.limits.checkText()
  }
  checkSendFrequency(by, ctx.limits.lastAskedInVain(kind, contact, maxFrequency, check), maxFrequency)
}
