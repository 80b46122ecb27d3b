import type { Transaction } from '../Transaction.ts'
import type { AccountContext, HookContext, SessionContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import type { AuthenticatedUser } from '../http/authenticate.ts'
import { writeAudit } from '../audit.ts'
import { callHook } from '../hooks/callHook.ts'
import { notifyUser } from '../mail/notifyUser.ts'
import { findUserById } from '../rows/findUser.ts'
import { upgradeSession } from '../sessions/upgradeSession.ts'
import type { ClientInfo, SessionResponse } from '../sessions/sessions.ts'
import { transact } from '../transact.ts'
import { deleteChallenge, findChallenge, markChallengeUsed } from './challenge.ts'
import { lockFactor } from './challengeFactor.ts'
import { factorMethods, storeCredential, markFactorVerified, type Factor } from './factor.ts'
import { verifyProof, type Proof } from './verifyProof.ts'

/**
 * Verifies the response to a challenge. If it is valid, the factor becomes verified, the session is upgraded to
 * aal2, and the user's sessions at aal1 end.
 * @throws AuthError 422 mfa_verification_failed, mfa_challenge_expired, mfa_ip_address_mismatch …; 403
 *   mfa_verification_rejected if the hook rejects further attempts, which ends all sessions
 */
export async function verifyFactor(
  ctx: SessionContext & AccountContext,
  o: { me: AuthenticatedUser; factorId: string; challengeId: string; proof: Proof; clientInfo: ClientInfo },
): Promise<SessionResponse> {
  const { clientInfo } = o
  const outcome = await transact(ctx, async (tx) => {
    const { user, factor, sessionId } = await lockFactor(tx, o.me, o.factorId)
    const challenge = await findChallenge(tx, {
      id: o.challengeId,
      factorId: factor.id,
      ip: clientInfo.ip,
    })
    if (challenge instanceof AuthError) return challenge
    const proof = await verifyProof(ctx, tx, { user, factor, challenge, proof: o.proof })
    const refusal = await callAttemptHook(ctx, tx, { factor, valid: proof.ok, ip: clientInfo.ip })
    if (refusal) return refusal
    // Returned, not thrown: what the hook stored about the attempt must be committed.
    if (!proof.ok) return proof.error
    await writeAudit(tx, user, 'verification_attempted', clientInfo.ip, {
      factor_id: factor.id,
      challenge_id: challenge.id,
      factor_type: factor.type,
    })
    if (proof.credential) {
      await storeCredential(tx, factor.id, proof.credential)
      await deleteChallenge(tx, challenge.id)
    } else {
      await markChallengeUsed(tx, challenge.id, proof.step)
    }
    await markFactorVerified(tx, factor)
    const verifiedUser = (await findUserById(tx, user.id))!
    if (!factor.verified) {
      const values = { FactorType: factor.type }
      await notifyUser(ctx, tx, {
        notification: 'mfa_factor_enrolled',
        user: verifiedUser,
        values,
        ip: clientInfo.ip,
      })
    }
    const method = factorMethods[factor.type]
    return upgradeSession(ctx, tx, {
      user: verifiedUser,
      sessionId,
      factorId: factor.id,
      method,
      clientInfo,
    })
  })
  if (outcome instanceof AuthError) throw outcome
  return outcome
}

/**
 * Calls the hook with an attempt; if it rejects, all sessions of the user end. Hosted Supabase does not call it
 * for WebAuthn, so a user whom the hook blocks could pass.
 */
async function callAttemptHook(
  ctx: HookContext,
  tx: Transaction,
  o: { factor: Factor; valid: boolean; ip: string },
): Promise<AuthError | null> {
  const { factor } = o
  const event = {
    user_id: factor.userId,
    factor_id: factor.id,
    factor_type: factor.type,
    valid: o.valid,
  }
  const proof = await callHook(ctx, tx, 'mfa_verification_attempt', event, { ip: o.ip })
  if (proof?.decision !== 'reject') return null
  await tx.query('delete from auth.sessions where user_id = $1', [factor.userId])
  const { message } = proof
  return new AuthError(
    403,
    'mfa_verification_rejected',
    typeof message === 'string' && message !== ''
      ? message
      : 'Further MFA verification attempts will be rejected.',
  )
}
