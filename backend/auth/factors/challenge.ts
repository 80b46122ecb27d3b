import type { Transaction } from '../Transaction.ts'
import { randomUUID } from 'node:crypto'
import { AuthError } from '../http/AuthError.ts'
import { challengeLifetimeMs } from '../passkeys/ceremony.ts'

/** The WebAuthn ceremony of a challenge: create a key, or sign with it. */
export interface Ceremony {
  type: 'create' | 'request'
  challenge: string
}

/** A pending row of auth.mfa_challenges. */
export interface Challenge {
  id: string
  /** For a phone factor: the hash of the code that was sent. */
  codeHash: string | null
  /** For a WebAuthn factor. */
  ceremony: Ceremony | null
}

/** Stores a challenge for a client at `ip`, and its time at the factor. */
export async function storeChallenge(
  tx: Transaction,
  o: { factorId: string; ip: string; codeHash?: string; ceremony?: Ceremony & { rpId: string } },
): Promise<{ id: string; expiresAt: number }> {
  const id = randomUUID()
  const { rows } = await tx.query<{ created: number }>(
    `insert into auth.mfa_challenges (id, factor_id, created_at, ip_address, otp_code, web_authn_session_data)
     values ($1, $2, clock_timestamp(), $3::inet, $4, $5)
     returning extract(epoch from created_at)::float8 as created`,
    [id, o.factorId, o.ip, o.codeHash ?? null, o.ceremony ? JSON.stringify(o.ceremony) : null],
  )
  await tx.query('update auth.mfa_factors set last_challenged_at = clock_timestamp() where id = $1', [
    o.factorId,
  ])
  return { id, expiresAt: Math.floor(rows[0]!.created + challengeLifetimeMs / 1000) }
}

/**
 * Finds the challenge that a request responds to.
 * @returns an AuthError if it has expired and was deleted, which the transaction must commit
 * @throws AuthError 422 mfa_factor_not_found, mfa_ip_address_mismatch (also for one that was already used)
 */
export async function findChallenge(
  tx: Transaction,
  o: { id: string; factorId: string; ip: string },
): Promise<Challenge | AuthError> {
  const { rows } = await tx.query<{
    otp_code: string | null
    ceremony: Ceremony | null
    usable: boolean
    expired: boolean
  }>(
    `select otp_code, web_authn_session_data as ceremony,
       verified_at is null and ip_address = $3::inet as usable,
       created_at + make_interval(secs => $4) < clock_timestamp() as expired
     from auth.mfa_challenges where id = $1 and factor_id = $2 for update`,
    [o.id, o.factorId, o.ip, challengeLifetimeMs / 1000],
  )
  const [row] = rows
  if (!row) {
    const message = 'MFA factor with the provided challenge ID not found'
    throw new AuthError(422, 'mfa_factor_not_found', message)
  }
  if (!row.usable) {
    throw new AuthError(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.')
  }
  if (row.expired) {
    await deleteChallenge(tx, o.id)
    const message = `MFA challenge ${o.id} has expired, verify against another challenge or create a new challenge.`
    return new AuthError(422, 'mfa_challenge_expired', message)
  }
  return { id: o.id, codeHash: row.otp_code, ceremony: row.ceremony }
}

/** Marks a challenge as used. `step` is the TOTP time step of the code, which detects its reuse. */
export async function markChallengeUsed(tx: Transaction, id: string, step: number | null): Promise<void> {
  await tx.query(
    `update auth.mfa_challenges set verified_at = clock_timestamp(), otp_code = coalesce($2, otp_code) where id = $1`,
    [id, step === null ? null : String(step)],
  )
}

export async function deleteChallenge(tx: Transaction, id: string): Promise<void> {
  await tx.query('delete from auth.mfa_challenges where id = $1', [id])
}

/**
 * Whether a TOTP code of this time step, or a later one, was already used: a code can be used once (RFC 6238,
 * §5.2). Hosted Supabase accepts it again, so someone who sees it can use it for a minute.
 */
export async function isUsedStep(tx: Transaction, factorId: string, step: number): Promise<boolean> {
  const { rows } = await tx.query(
    `select 1 from auth.mfa_challenges
     where factor_id = $1 and verified_at is not null
       and case when otp_code ~ '^\\d{1,15}$' then otp_code::bigint end >= $2 limit 1`,
    [factorId, step],
  )
  return rows.length > 0
}
