import type { MailContext, TransactionContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import type { AuthenticatedUser } from '../http/authenticate.ts'
import { writeAudit } from '../audit.ts'
import { notifyUser } from '../mail/notifyUser.ts'
import { findUserById, lockUser } from '../rows/findUser.ts'
import { lockSession } from '../sessions/upgradeSession.ts'
import { transact } from '../transact.ts'
import { findFactor, removeFactor } from './factor.ts'

/** Removes a factor of the user; a verified one requires aal2. */
export async function unenrollFactor(
  ctx: TransactionContext & MailContext,
  o: { me: AuthenticatedUser; factorId: string; ip: string },
): Promise<void> {
  await transact(ctx, async (tx) => {
    await lockUser(tx, o.me.user.id)
    const session = await lockSession(tx, o.me.user.id, o.me.session?.id)
    const factor = await findFactor(tx, o.me.user.id, o.factorId)
    if (!factor) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
    if (factor.verified && !session.isAal2) {
      throw new AuthError(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor')
    }
    await removeFactor(tx, factor)
    const user = (await findUserById(tx, factor.userId))!
    await writeAudit(tx, user, 'factor_unenrolled', o.ip, {
      factor_id: factor.id,
      factor_status: factor.verified ? 'verified' : 'unverified',
      session_id: session.id,
    })
    const values = { FactorType: factor.type }
    await notifyUser(ctx, tx, { notification: 'mfa_factor_unenrolled', user, values, ip: o.ip })
  })
}
