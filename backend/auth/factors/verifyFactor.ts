import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import type { AuthenticatedUser } from '../http/authenticate.ts'
import { writeAudit } from '../audit.ts'
import { callHook } from '../hooks/callHook.ts'
import { notifyUser } from '../mail/notifyUser.ts'
import { findUserById } from '../rows/findUser.ts'
import { upgradeSession } from '../sessions/upgradeSession.ts'
import type { ClientInfo, SessionResponse } from '../sessions/sessions.ts'
import { transact } from '../transact.ts'
import { dropChallenge, findChallenge, spendChallenge } from './challenge.ts'
import { lockFactor } from './challengeFactor.ts'
import { factorMethods, keepCredential, settleFactor, type Factor } from './factor.ts'
import { checkProof, type Answer } from './checkProof.ts'

/**
 * Verifies the response to a challenge. If it is valid, the factor becomes verified, the session is upgraded to
 * aal2, and the user's sessions at aal1 end.
 * @throws AuthError 422 mfa_verification_failed, mfa_challenge_expired, mfa_ip_address_mismatch …; 403
 *   mfa_verification_rejected if the hook rejects further attempts, which ends all sessions
 */
export async function verifyFactor(
  ctx: AuthContext,
  o: { me: AuthenticatedUser; factorId: string; challengeId: string; answer: Answer; origin: ClientInfo },
): Promise<SessionResponse> {
  const { origin } = o
  const outcome = await transact(ctx, async (client, later) => {
    const { user, factor, sessionId } = await lockFactor(client, o.me, o.factorId)
    const challenge = await findChallenge(client, {
      id: o.challengeId,
      factorId: factor.id,
      ip: origin.ip,
    })
    if (challenge instanceof AuthError) return challenge
    const proof = await checkProof(ctx, client, { user, factor, challenge, answer: o.answer })
    const refusal = await askWhetherToGoOn(ctx, client, { factor, valid: proof.ok, ip: origin.ip })
    if (refusal) return refusal
    // Returned, not thrown: what the hook stored about the attempt must be committed.
    if (!proof.ok) return proof.refusal
    await writeAudit(client, user, 'verification_attempted', origin.ip, {
      factor_id: factor.id,
      challenge_id: challenge.id,
      factor_type: factor.type,
    })
    if (proof.credential) {
      await keepCredential(client, factor.id, proof.credential)
      await dropChallenge(client, challenge.id)
    } else {
      await spendChallenge(client, challenge.id, proof.step)
    }
    await settleFactor(client, factor)
    const raised = (await findUserById(client, user.id))!
    if (!factor.verified) {
      const values = { FactorType: factor.type }
      await notifyUser(ctx, client, {
        notice: 'mfa_factor_enrolled',
        user: raised,
        values,
        ip: origin.ip,
        later,
      })
    }
    const method = factorMethods[factor.type]
    return upgradeSession(ctx, client, {
      user: raised,
      sessionId,
      factorId: factor.id,
      method,
      clientInfo: origin,
    })
  })
  if (outcome instanceof AuthError) throw outcome
  return outcome
}

/**
 * Calls the hook with an attempt; if it rejects, all sessions of the user end. Hosted Supabase does not call it
 * for WebAuthn, so a user whom the hook blocks could pass.
 */
async function askWhetherToGoOn(
  ctx: AuthContext,
  client: pg.Client,
  o: { factor: Factor; valid: boolean; ip: string },
): Promise<AuthError | null> {
  const { factor } = o
  const event = {
    user_id: factor.userId,
    factor_id: factor.id,
    factor_type: factor.type,
    valid: o.valid,
  }
  const answer = await callHook(ctx, client, 'mfa_verification_attempt', event, { ip: o.ip })
  if (answer?.decision !== 'reject') return null
  await client.query('delete from auth.sessions where user_id = $1', [factor.userId])
  const { message } = answer
  return new AuthError(
    403,
    'mfa_verification_rejected',
    typeof message === 'string' && message !== ''
      ? message
      : 'Further MFA verification attempts will be rejected.',
  )
}
