import type { Transaction } from '../Transaction.ts'
import type { SessionContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import type { UserRow } from '../rows/user.ts'
import {
  buildSessionResponse,
  createRefreshToken,
  type ClientInfo,
  type SessionResponse,
} from './sessions.ts'

function sessionNotFound(): AuthError {
  return new AuthError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
}

/**
 * Locks a session until the transaction ends, and returns whether it is at aal2. A concurrent refresh waits, so
 * it cannot return the state from before.
 * @throws AuthError 403 session_not_found if it has ended meanwhile, or the token has no session
 */
export async function lockSession(
  tx: Transaction,
  userId: string,
  sessionId: string | undefined,
): Promise<{ id: string; isAal2: boolean }> {
  if (sessionId === undefined) throw sessionNotFound()
  const { rows } = await tx.query<{ aal: string | null }>({
    name: 'auth_session_lock',
    text: 'select aal::text from auth.sessions where id = $1 and user_id = $2 for no key update',
    values: [sessionId, userId],
  })
  if (!rows[0]) throw sessionNotFound()
  return { id: sessionId, isAal2: rows[0].aal === 'aal2' }
}

/**
 * Upgrades a locked session to aal2 and ends the user's other sessions that are at aal1. Earlier refresh tokens
 * of the session are deleted too: whoever stole one has passed one factor only, and must not get tokens of aal2
 * with it.
 * @param o.user the user as stored after the factor was verified
 * @param o.method the method's name in `amr`
 */
export async function upgradeSession(
  ctx: SessionContext,
  tx: Transaction,
  o: { user: UserRow; sessionId: string; factorId: string; method: string; clientInfo: ClientInfo },
): Promise<SessionResponse> {
  const refreshToken = createRefreshToken()
  await tx.query(
    `insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
     values (gen_random_uuid(), $1, clock_timestamp(), clock_timestamp(), $2)
     on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey
     do update set updated_at = excluded.updated_at`,
    [o.sessionId, o.method],
  )
  const upgraded = await tx.query<{ client_id: string | null; scopes: string | null }>(
    // Tokens with a counter, of a session from hosted Supabase, become invalid too.
    `update auth.sessions set aal = 'aal2', factor_id = $2, updated_at = now(),
       refresh_token_hmac_key = null, refresh_token_counter = null where id = $1
     returning oauth_client_id as client_id, scopes`,
    [o.sessionId, o.factorId],
  )
  const { client_id: clientId = null, scopes = null } = upgraded.rows[0] ?? {}
  await tx.query(`delete from auth.sessions where user_id = $1 and coalesce(aal, 'aal1') < 'aal2'`, [
    o.user.id,
  ])
  await tx.query('delete from auth.refresh_tokens where session_id = $1', [o.sessionId])
  await tx.query(
    `insert into auth.refresh_tokens
       (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
     values ('00000000-0000-0000-0000-000000000000', $1, $2, false, clock_timestamp(), clock_timestamp(), '', $3)`,
    [refreshToken, o.user.id, o.sessionId],
  )
  const { rows } = await tx.query<{ method: string; timestamp: number }>(
    `select authentication_method as method, floor(extract(epoch from updated_at))::int as timestamp
     from auth.mfa_amr_claims where session_id = $1 order by updated_at desc`,
    [o.sessionId],
  )
  return buildSessionResponse(ctx, tx, {
    user: o.user,
    session: {
      id: o.sessionId,
      aal: 'aal2',
      amr: rows,
      oauthClient: clientId === null ? null : { id: clientId, scopes: scopes ?? '' },
    },
    refreshToken,
    method: o.method,
    ip: o.clientInfo.ip,
  })
}
