import type { MailContext, TransactionContext } from '../AuthContext.ts'
import { writeAudit } from '../audit.ts'
import { listFactors, removeFactor } from '../factors/factor.ts'
import { notifyUser } from '../mail/notifyUser.ts'
import { findUserById, lockUser } from '../rows/findUser.ts'
import { transact } from '../transact.ts'

/**
 * Removes all second factors of an account, for users who lost theirs, and ends its sessions: a person who has the
 * lost device must not stay signed in, and a half-finished sign-in starts again. The user is notified by mail.
 * @returns the number of verified factors that were removed; null if there is no such account
 */
export async function resetFactors(
  ctx: TransactionContext & MailContext,
  userId: string,
  ip: string,
): Promise<number | null> {
  return transact(ctx, async (tx) => {
    const user = await lockUser(tx, userId)
    if (!user) return null
    const factors = await listFactors(tx, user.id)
    if (factors.length === 0) return 0
    for (const factor of factors) {
      const traits = { user_id: user.id, factor_id: factor.id, factor_type: factor.type }
      await writeAudit(tx, null, 'factor_deleted', ip, traits)
      await removeFactor(tx, factor)
    }
    await tx.query('delete from auth.sessions where user_id = $1', [user.id])
    const verified = factors.filter((factor) => factor.verified)
    const updated = (await findUserById(tx, user.id)) ?? user
    for (const { type } of verified) {
      const values = { FactorType: type }
      await notifyUser(ctx, tx, {
        notification: 'mfa_factor_unenrolled',
        user: updated,
        values,
        ip,
      })
    }
    return verified.length
  })
}
