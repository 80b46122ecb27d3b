import { randomUUID } from 'node:crypto'
import { AuthError } from '../http/AuthError.ts'
import type { Queryable } from '../rows/findUser.ts'
import { challengeLifetimeMs } from './ceremony.ts'

/** The purpose of a challenge in auth.webauthn_challenges. */
type Purpose = 'registration' | 'authentication'

/** Stores a challenge. `userId` is null if the response will name the user. */
export async function storePasskeyChallenge(
  db: Queryable,
  o: { userId: string | null; purpose: Purpose; challenge: string; rpId: string },
): Promise<{ challenge_id: string; expires_at: number }> {
  const id = randomUUID()
  const { rows } = await db.query(
    `insert into auth.webauthn_challenges (id, user_id, challenge_type, session_data, created_at, expires_at)
     values ($1, $2, $3, $4, now(), now() + make_interval(secs => $5))
     returning extract(epoch from expires_at)::float8 as expires`,
    [
      id,
      o.userId,
      o.purpose,
      JSON.stringify({ challenge: o.challenge, rpId: o.rpId, userVerification: 'preferred' }),
      challengeLifetimeMs / 1000,
    ],
  )
  return { challenge_id: id, expires_at: Math.floor(rows[0].expires as number) }
}

/**
 * Deletes a challenge, whether or not its response is valid: each can be tried once.
 * @returns the challenge that was to be signed
 * @throws AuthError 400 webauthn_challenge_not_found, webauthn_challenge_expired
 */
export async function consumePasskeyChallenge(
  db: Queryable,
  o: { id: string; userId: string | null; purpose: Purpose },
): Promise<string> {
  const { rows } = await db.query(
    `delete from auth.webauthn_challenges
     where id = $1 and challenge_type = $2 and user_id is not distinct from $3::uuid
     returning session_data ->> 'challenge' as challenge, expires_at < clock_timestamp() as expired`,
    [o.id, o.purpose, o.userId],
  )
  const [row] = rows
  if (!row) {
    throw new AuthError(400, 'webauthn_challenge_not_found', 'Challenge not found or already used')
  }
  if (row.expired) throw new AuthError(400, 'webauthn_challenge_expired', 'Challenge has expired')
  return row.challenge as string
}

/** Deletes unanswered challenges of passkeys and factors, and factors that were not verified within a day. */
export async function sweepChallenges(db: Queryable): Promise<void> {
  await db.query('delete from auth.webauthn_challenges where expires_at < now()')
  await db.query(`delete from auth.mfa_challenges where created_at < now() - interval '1 day'`)
  await db.query(
    `delete from auth.mfa_factors where status = 'unverified' and created_at < now() - interval '1 day'`,
  )
}
