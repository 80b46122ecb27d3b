import type { Transaction } from '../Transaction.ts'
import type { HookContext, SessionContext, SignInContext } from '../AuthContext.ts'
import { commitOrThrow } from '../../postgres/connections/commitOrThrow.ts'
import { commit, runPipeline } from '../../postgres/connections/runPipeline.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import { auditStatement } from '../audit.ts'
import { isBanned } from '../rows/user.ts'
import { checkNotExpired, checkOAuthClient, checkNewestSession } from './checkSession.ts'
import { renderCounterToken } from './counterToken.ts'
import {
  findRefreshToken,
  parseRefreshToken,
  type RefreshTokenState,
  type ParsedToken,
} from './findRefreshToken.ts'
import { runInterruptibly } from '../transact.ts'
import {
  buildSessionResponse,
  createRefreshToken,
  type ClientInfo,
  type SessionResponse,
} from './sessions.ts'

function refreshError(
  code: 'refresh_token_not_found' | 'refresh_token_already_used' | 'session_not_found' | 'user_banned',
  message: string,
): AuthError {
  return new AuthError(400, code, `Invalid Refresh Token: ${message}`)
}

/**
 * Exchanges a refresh token for the next one (OAuth 2.0 Security BCP §4.14.2, as on hosted Supabase).
 *
 * Each token can be used once. A used one is still accepted if the client seems not to have received the
 * response (it is the parent of the active token), or within the reuse interval (tabs that refresh at the same
 * time): both get the active token. Any other reuse means that two parties have the chain, so the session's
 * whole token family is revoked.
 * @param clientId the authenticated OAuth client; null for the site itself
 * @throws OAuthError if the session belongs to another client
 */
export async function refreshSession(
  ctx: SignInContext,
  token: string,
  clientInfo: ClientInfo,
  clientId: string | null = null,
): Promise<SessionResponse> {
  const parsed = parseRefreshToken(token)
  const { sessions } = ctx.settings
  const refresh = async (tx: Transaction): Promise<SessionResponse | AuthError> => {
    const current = await findRefreshToken(tx, parsed, { lockUser: sessions.singlePerUser })
    if (!current) throw refreshError('refresh_token_not_found', 'Refresh Token Not Found')
    const { user } = current
    if (isBanned(user)) throw refreshError('user_banned', 'User Banned')
    if (!current.session_id) throw refreshError('session_not_found', 'No Valid Session Found')
    checkNotExpired(sessions, current, user)
    checkOAuthClient(current.client_id, clientId)
    if (sessions.singlePerUser) await checkNewestSession(tx, sessions, current, user)
    const next = await chooseNextToken(ctx, tx, parsed, current)
    // Returned and thrown after the commit: a rollback would restore the family.
    if (next === null) {
      await commitOrThrow(tx.client)
      return refreshError('refresh_token_already_used', 'Already Used')
    }
    return storeAndRespond(ctx, tx, { current, next, clientInfo })
  }
  const first = ctx.hooks.poolOf('custom_access_token') ?? ctx.pool
  const outcome = await runInterruptibly(ctx, first, (pool, enter) =>
    // If anything throws, the pool rolls the transaction back.
    pool.withClient((client) => enter(client, refresh)),
  )
  if (outcome instanceof AuthError) throw outcome
  return outcome
}

/** The next refresh token, and what has to be stored for it. */
interface NextToken {
  token: string
  /**
   * The id of the row that is revoked for a new one; null if the active token is returned again, or it has a
   * counter.
   */
  revokes: string | null
  /** The new counter, for tokens with a counter. */
  counter: number | null
}

/** The active or the next token; null if the family was revoked. */
function chooseNextToken(
  ctx: HookContext,
  tx: Transaction,
  parsed: ParsedToken,
  current: RefreshTokenState,
): Promise<NextToken | null> {
  return parsed.kind === 'row'
    ? nextRowToken(ctx, tx, parsed.token, current)
    : nextCounterToken(ctx, tx, parsed.token.counter, current)
}

async function nextRowToken(
  ctx: HookContext,
  tx: Transaction,
  token: string,
  current: RefreshTokenState,
): Promise<NextToken | null> {
  if (!current.revoked) return { token: createRefreshToken(), revokes: current.token_id, counter: null }
  const { reuseInterval, rotation } = ctx.settings.sessions
  const reusable = current.active_parent === token || current.token_age! <= reuseInterval
  // A revoked family has no active token, and stays revoked even within the interval.
  if (current.active_token !== null && reusable) {
    return { token: current.active_token, revokes: null, counter: null }
  }
  if (rotation) {
    await tx.query(
      `update auth.refresh_tokens set revoked = true, updated_at = now()
       where session_id = $1 and revoked is false`,
      [current.session_id],
    )
  }
  ctx.log.warn('auth.refresh_token_reused', { session: current.session_id })
  return null
}

async function nextCounterToken(
  ctx: HookContext,
  tx: Transaction,
  counter: number,
  current: RefreshTokenState,
): Promise<NextToken | null> {
  const { reuseInterval, rotation } = ctx.settings.sessions
  const age = current.counter! - counter
  if (age < 0) {
    throw invalid('Invalid Refresh Token: Not Issued By This Server')
  }
  const nextCounter = age === 0 ? current.counter! + 1 : current.counter!
  if (age <= 1 || current.idle < reuseInterval) {
    return {
      token: renderCounterToken(current.key!, current.session_id!, nextCounter),
      revokes: null,
      counter: nextCounter,
    }
  }
  if (rotation) await tx.query('delete from auth.sessions where id = $1', [current.session_id])
  ctx.log.warn('auth.refresh_token_reused', { session: current.session_id })
  return null
}

/** Stores the next token, builds the response and commits. */
async function storeAndRespond(
  ctx: SessionContext,
  tx: Transaction,
  o: { current: RefreshTokenState; next: NextToken; clientInfo: ClientInfo },
): Promise<SessionResponse> {
  const { current, next } = o
  const { user } = current
  const { ip } = o.clientInfo
  const values = [current.session_id, ip, o.clientInfo.userAgent.slice(0, 1024), next.counter]
  const statements = [
    ...(next.revokes === null ? [] : [auditStatement(user, 'token_revoked', ip)]),
    auditStatement(user, 'token_refreshed', ip),
    next.revokes === null
      ? { name: 'auth_refresh_touch', text: touchSessionSql, values }
      : { name: 'auth_refresh_swap', text: swapTokenSql, values: [...values, next.revokes, next.token] },
  ]
  const respond = (): Promise<SessionResponse> =>
    buildSessionResponse(ctx, tx, {
      user,
      session: {
        id: current.session_id!,
        aal: current.aal ?? 'aal1',
        amr: current.amr,
        oauthClient:
          current.client_id === null ? null : { id: current.client_id, scopes: current.scopes ?? '' },
      },
      refreshToken: next.token,
      method: 'token_refresh',
      ip,
    })
  if (ctx.settings.hooks.custom_access_token) {
    // The hook reads the changes, and may reject the request.
    await runPipeline(tx.client, statements)
    const response = await respond()
    await commitOrThrow(tx.client)
    return response
  }
  // Refreshes are the most frequent requests here: the token is signed first, so that everything is stored in
  // one round trip.
  const response = await respond()
  await runPipeline(tx.client, [...statements, commit])
  return response
}

const touchSessionSql = `
  update auth.sessions set refreshed_at = clock_timestamp() at time zone 'utc', updated_at = now(),
    ip = $2::inet, user_agent = nullif($3, ''),
    refresh_token_counter = coalesce($4::bigint, refresh_token_counter)
  where id = $1`

const swapTokenSql = `
  with spent as (
      update auth.refresh_tokens set revoked = true, updated_at = clock_timestamp() where id = $5
      returning token, user_id, session_id),
    made as (
      insert into auth.refresh_tokens
        (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
      select '00000000-0000-0000-0000-000000000000', $6, user_id, false, clock_timestamp(),
        clock_timestamp(), token, session_id from spent)
  ${touchSessionSql}`
