import type { AuthContext } from '../AuthContext.ts'
import { writeAudit } from '../audit.ts'
import { listFactors, removeFactor } from '../factors/factor.ts'
import { notifyUser } from '../mail/notifyUser.ts'
import { findUserById, lockUser } from '../rows/findUser.ts'
import { transact } from '../transact.ts'

/**
 * Removes all second factors of an account, for users who lost theirs, and ends its sessions: whoever holds the
 * lost device must not stay signed in, and a half-finished sign-in starts again. The user is notified by mail.
 * @returns the number of verified factors that were removed; null if there is no such account
 */
export async function resetFactors(ctx: AuthContext, userId: string, ip: string): Promise<number | null> {
  return transact(ctx, async (client, later) => {
    const user = await lockUser(client, userId)
    if (!user) return null
    const factors = await listFactors(client, user.id)
    if (factors.length === 0) return 0
    for (const factor of factors) {
      const traits = { user_id: user.id, factor_id: factor.id, factor_type: factor.type }
      await writeAudit(client, null, 'factor_deleted', ip, traits)
      await removeFactor(client, factor)
    }
    await client.query('delete from auth.sessions where user_id = $1', [user.id])
    const verified = factors.filter((factor) => factor.verified)
    const updated = (await findUserById(client, user.id)) ?? user
    for (const { type } of verified) {
      const values = { FactorType: type }
      await notifyUser(ctx, client, {
        notification: 'mfa_factor_unenrolled',
        user: updated,
        values,
        ip,
        later,
      })
    }
    return verified.length
  })
}
