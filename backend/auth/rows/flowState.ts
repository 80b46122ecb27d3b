import type { Transaction } from '../Transaction.ts'
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { AuthError, invalid } from '../http/AuthError.ts'
import type { Queryable } from './findUser.ts'

/** How the user authenticates, in GoTrue's names (`amr`). */
export type FlowMethod = 'email/signup' | 'magiclink' | 'recovery' | 'invite' | 'email_change'

/** A PKCE challenge (RFC 7636). */
export interface Challenge {
  challenge: string
  method: 's256' | 'plain'
}

/** The parameters of a request with a challenge. */
export const challengeFields = { code_challenge: 'string', code_challenge_method: 'string' } as const

/** Reads the two parameters; null if a request has neither. Throws AuthError 400. */
export function parseChallenge(
  o: Partial<Record<keyof typeof challengeFields, string | undefined>>,
): Challenge | null {
  const { code_challenge: challenge = '', code_challenge_method: method = '' } = o
  if (challenge === '' && method === '') return null
  const refuse = (message: string): never => {
    throw invalid(message)
  }
  if (challenge === '' || method === '') {
    return refuse('PKCE flow requires code_challenge_method and code_challenge')
  }
  if (challenge.length < 43 || challenge.length > 128) {
    return refuse('code challenge has to be between 43 and 128 characters')
  }
  if (!/^[A-Za-z._~0-9-]+$/.test(challenge)) {
    return refuse(
      'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
    )
  }
  const lowerCase = method.toLowerCase()
  if (lowerCase !== 's256' && lowerCase !== 'plain')
    return refuse(`unsupported code_challenge method "${method}"`)
  return { challenge, method: lowerCase }
}

/** Stores a challenge until the user follows the link in the mail. */
export async function storeFlow(
  db: Queryable,
  o: { userId: string; challenge: Challenge; method: FlowMethod; provider: string },
): Promise<void> {
  await db.query(
    `insert into auth.flow_state (id, user_id, auth_code, code_challenge_method, code_challenge,
       provider_type, provider_access_token, provider_refresh_token, authentication_method,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, '', '', $7, clock_timestamp(), clock_timestamp())`,
    [randomUUID(), o.userId, randomUUID(), o.challenge.method, o.challenge.challenge, o.provider, o.method],
  )
}

/** Issues the code of the user's newest flow of these methods; null if there is none. */
export async function issueFlowCode(
  tx: Transaction,
  userId: string,
  methods: FlowMethod[],
): Promise<string | null> {
  const { rows } = await tx.query<{ auth_code: string }>(
    `update auth.flow_state set auth_code_issued_at = clock_timestamp(), updated_at = clock_timestamp()
     where id = (select id from auth.flow_state
                 where user_id = $1 and authentication_method = any ($2) and auth_code is not null
                 order by created_at desc limit 1
                 -- A request that redeems a code locks its flow and waits for the user, whom the caller has locked.
                 for update skip locked)
     returning auth_code`,
    [userId, methods],
  )
  return rows[0]?.auth_code ?? null
}

/** How long a code is valid, in ms: from when it was issued, or if it was not, from when the flow began. */
const codeLifetimeMs = 300_000

/**
 * Deletes the flow of a code and checks the verifier. If it throws, the transaction must be rolled back, so
 * that a wrong guess does not consume the code.
 */
export async function redeemFlowCode(
  tx: Transaction,
  code: string,
  verifier: string,
): Promise<{
  userId: string
  method: string
  provider: string
  /** Tokens of the provider; empty if it returned none. */
  providerToken: string
  providerRefreshToken: string
}> {
  const { rows } = await tx.query<{
    user_id: string | null
    authentication_method: string
    provider_type: string
    provider_access_token: string | null
    provider_refresh_token: string | null
    code_challenge: string | null
    code_challenge_method: string | null
    age_ms: number
  }>(
    `delete from auth.flow_state where auth_code = $1 returning user_id, authentication_method,
       provider_type, provider_access_token, provider_refresh_token, code_challenge, code_challenge_method::text,
       (extract(epoch from clock_timestamp() - coalesce(auth_code_issued_at, created_at)) * 1000)::float8
         as age_ms`,
    [code],
  )
  const flow = rows[0]
  if (!flow?.user_id) {
    throw new AuthError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
  }
  if (flow.age_ms > codeLifetimeMs) {
    throw new AuthError(422, 'flow_state_expired', 'invalid flow state, flow state has expired')
  }
  if (!matchesChallenge(flow.code_challenge ?? '', flow.code_challenge_method, verifier)) {
    const message = 'code challenge does not match previously saved code verifier'
    throw new AuthError(400, 'bad_code_verifier', message)
  }
  return {
    userId: flow.user_id,
    method: flow.authentication_method,
    provider: flow.provider_type,
    providerToken: flow.provider_access_token ?? '',
    providerRefreshToken: flow.provider_refresh_token ?? '',
  }
}

/** Whether the challenge was derived from this verifier (RFC 7636 §4.6). */
export function matchesChallenge(challenge: string, method: string | null, verifier: string): boolean {
  const computed = method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url')
  const actual = Buffer.from(computed)
  const expected = Buffer.from(challenge)
  return expected.length > 0 && actual.length === expected.length && timingSafeEqual(actual, expected)
}

/** Deletes flows that were not completed. */
export async function sweepFlows(db: Queryable): Promise<void> {
  // Flows with providers store their tokens, and take minutes.
  await db.query(
    `delete from auth.flow_state where created_at < now() - interval '1 day'
       or (authentication_method = 'oauth' and created_at < now() - interval '15 minutes')`,
  )
  await db.query(`delete from auth.oauth_client_states where created_at < now() - interval '15 minutes'`)
}

/**
 * Revokes codes that a browser or OAuth client of the user has not yet exchanged for a session: after a
 * sign-out everywhere or a new password they must not create one. On hosted Supabase they stay valid for
 * minutes. Must be called before the user is locked, since redeeming a code locks its row first; the user's
 * sessions must be deleted after it.
 */
export async function revokeCodes(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from auth.flow_state where user_id = $1 and auth_code_issued_at is not null', [
    userId,
  ])
  await tx.query(
    `update auth.oauth_authorizations set status = 'expired' where user_id = $1 and status = 'approved'`,
    [userId],
  )
}
