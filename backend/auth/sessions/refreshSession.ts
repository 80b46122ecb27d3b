import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../asking/AuthError.ts'
import { OAuthError } from '../asking/OAuthError.ts'
import { findUserById } from '../rows/findUser.ts'
import { isBanned, type UserRow } from '../rows/user.ts'
import { answerSession, createRefreshToken, type RequestOrigin, type SessionAnswer } from './sessions.ts'

interface TokenRow {
  token_id: string
  revoked: boolean | null
  token_age_ms: number
  user_id: string
  session_id: string | null
  session_age_ms: number
  idle_ms: number
  not_after_passed: boolean
  aal: 'aal1' | 'aal2' | null
  client_id: string | null
  scopes: string | null
  amr: { method: string; timestamp: number }[]
  active_token: string | null
  active_parent: string | null
}

function refuse(
  code:
    | 'refresh_token_not_found'
    | 'refresh_token_already_used'
    | 'session_expired'
    | 'session_not_found'
    | 'user_banned',
  message: string,
): AuthError {
  return new AuthError(400, code, `Invalid Refresh Token: ${message}`)
}

/**
 * Exchanges a refresh token for the next one (OAuth 2.0 Security BCP §4.14.2, as hosted does it).
 *
 * Each token is good once. A revoked one still works when the client seems not to have received the
 * answer (it is the parent of the active one), or within the reuse interval (tabs that refresh at
 * once): both get the active token. Any other reuse means that two parties hold the chain, so the whole
 * family ends.
 * @param clientId the OAuth client that asks and has proved who it is; null for the site itself
 * @throws OAuthError where the session belongs to another client
 */
export async function refreshSession(
  ctx: AuthContext,
  token: string,
  origin: RequestOrigin,
  clientId: string | null = null,
): Promise<SessionAnswer> {
  const outcome = await ctx.pool.transaction(async (client) => {
    // The lock comes first and alone: read in the same statement, the token's state would be the one
    // from before the wait, and two refreshes at once would fork the chain.
    const [, found] = await Promise.all([
      client.query({ name: 'auth_refresh_lock', text: lockSession, values: [token] }),
      client.query<TokenRow & pg.QueryResultRow>({
        name: 'auth_refresh_find',
        text: findToken,
        values: [token],
      }),
    ])
    const row = found.rows[0]
    if (!row) throw refuse('refresh_token_not_found', 'Refresh Token Not Found')
    const user = await findUserById(client, row.user_id)
    if (!user) throw refuse('refresh_token_not_found', 'Refresh Token Not Found')
    if (isBanned(user)) throw refuse('user_banned', 'User Banned')
    if (!row.session_id) throw refuse('session_not_found', 'No Valid Session Found')
    checkSession(ctx, row)
    checkClient(row.client_id, clientId)
    const next = await chooseNext(ctx, client, token, row)
    // Thrown after the commit, or the family would come back to life.
    if (next === null) return refuse('refresh_token_already_used', 'Already Used')
    return renew(ctx, client, { row, user, next, origin })
  })
  if (outcome instanceof AuthError) throw outcome
  return outcome
}

const lockSession = `
  select 1 from auth.sessions where id = (select session_id from auth.refresh_tokens where token = $1)
  for no key update`

const findToken = `
  select t.id::text as token_id, t.revoked, t.user_id, s.id as session_id, s.aal::text as aal,
    s.oauth_client_id as client_id, s.scopes,
    (extract(epoch from clock_timestamp() - t.updated_at) * 1000)::float8 as token_age_ms,
    (extract(epoch from clock_timestamp() - s.created_at) * 1000)::float8 as session_age_ms,
    (extract(epoch from clock_timestamp() - coalesce(s.refreshed_at at time zone 'utc', s.created_at))
      * 1000)::float8 as idle_ms,
    coalesce(s.not_after < clock_timestamp(), false) as not_after_passed,
    a.token as active_token, a.parent as active_parent,
    coalesce((select json_agg(json_build_object('method', m.authentication_method,
        'timestamp', extract(epoch from m.updated_at)::bigint) order by m.updated_at desc)
      from auth.mfa_amr_claims m where m.session_id = s.id), '[]') as amr
  from auth.refresh_tokens t
  left join auth.sessions s on s.id = t.session_id
  left join lateral (
    select token, parent from auth.refresh_tokens
    where session_id = s.id and revoked is false order by id desc limit 1) a on true
  where t.token = $1`

function checkSession(ctx: AuthContext, row: TokenRow): void {
  const { timebox, inactivity } = ctx.settings.sessions
  if (row.not_after_passed || (timebox > 0 && row.session_age_ms > timebox)) {
    throw refuse('session_expired', 'Session Expired')
  }
  if (inactivity > 0 && row.idle_ms > inactivity) {
    throw refuse('session_expired', 'Session Expired (Inactivity)')
  }
}

/** Tokens of a client are good in its hands alone, and those of the site in no client's. */
function checkClient(owner: string | null, asking: string | null): void {
  if (owner === asking) return
  const refuse = (message: string): OAuthError => new OAuthError('invalid_client', message)
  if (owner === null) throw refuse('Client authentication not allowed for non-OAuth session')
  if (asking === null) throw refuse('Client authentication required for OAuth session')
  throw refuse("Client does not match the session's OAuth client")
}

/** The token to answer with: the active one, or a new one to be stored; null when the family had to end. */
async function chooseNext(
  ctx: AuthContext,
  client: pg.Client,
  token: string,
  row: TokenRow,
): Promise<{ token: string; isNew: boolean } | null> {
  if (!row.revoked) return { token: createRefreshToken(), isNew: true }
  const reusable = row.active_parent === token || row.token_age_ms <= ctx.settings.refreshReuseInterval
  // A family that has ended has no active token, and stays ended even within the interval.
  if (row.active_token !== null && reusable) return { token: row.active_token, isNew: false }
  if (ctx.settings.refreshRotation) {
    await client.query(
      `update auth.refresh_tokens set revoked = true, updated_at = now()
       where session_id = $1 and revoked is false`,
      [row.session_id],
    )
  }
  ctx.log.warn('auth.refresh_token_reused', { session: row.session_id })
  return null
}

async function renew(
  ctx: AuthContext,
  client: pg.Client,
  o: { row: TokenRow; user: UserRow; next: { token: string; isNew: boolean }; origin: RequestOrigin },
): Promise<SessionAnswer> {
  const { row, user, next } = o
  await client.query({
    name: next.isNew ? 'auth_refresh_swap' : 'auth_refresh_touch',
    text: next.isNew ? swapToken : touchSession,
    values: next.isNew
      ? [row.session_id, o.origin.ip, o.origin.userAgent.slice(0, 1024), row.token_id, next.token]
      : [row.session_id, o.origin.ip, o.origin.userAgent.slice(0, 1024)],
  })
  return answerSession(ctx, client, {
    user,
    session: {
      id: row.session_id!,
      aal: row.aal ?? 'aal1',
      amr: row.amr,
      client: row.client_id === null ? null : { id: row.client_id, scopes: row.scopes ?? '' },
    },
    refreshToken: next.token,
    method: 'token_refresh',
    ip: o.origin.ip,
  })
}

const touchSession = `
  update auth.sessions set refreshed_at = clock_timestamp() at time zone 'utc', updated_at = now(),
    ip = $2::inet, user_agent = nullif($3, '') where id = $1`

const swapToken = `
  with spent as (
      update auth.refresh_tokens set revoked = true, updated_at = clock_timestamp() where id = $4
      returning token, user_id, session_id),
    made as (
      insert into auth.refresh_tokens
        (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
      select '00000000-0000-0000-0000-000000000000', $5, user_id, false, clock_timestamp(),
        clock_timestamp(), token, session_id from spent)
  ${touchSession}`
