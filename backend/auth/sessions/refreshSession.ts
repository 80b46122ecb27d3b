import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { commitOrThrow } from '../../postgres/connections/commitOrThrow.ts'
import { commit, runPipeline } from '../../postgres/connections/runPipeline.ts'
import { AuthError } from '../http/AuthError.ts'
import { auditStatement } from '../audit.ts'
import { isBanned } from '../rows/user.ts'
import { checkAge, checkClient, checkNewest } from './checkSession.ts'
import { renderCountedToken } from './countedToken.ts'
import { findRefreshToken, readRefreshToken, type HeldToken, type SentToken } from './findRefreshToken.ts'
import { runInterruptibly } from '../transact.ts'
import { answerSession, createRefreshToken, type RequestOrigin, type SessionAnswer } from './sessions.ts'

function refuse(
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
 * time): both get the active token. Any other reuse means that two parties hold the chain, so the session's
 * whole token family is revoked.
 * @param clientId the authenticated OAuth client; null for the site itself
 * @throws OAuthError if the session belongs to another client
 */
export async function refreshSession(
  ctx: AuthContext,
  token: string,
  origin: RequestOrigin,
  clientId: string | null = null,
): Promise<SessionAnswer> {
  const sent = readRefreshToken(token)
  const { sessions } = ctx.settings
  const refresh = async (client: pg.Client): Promise<SessionAnswer | AuthError> => {
    const held = await findRefreshToken(client, sent, { wholeUser: sessions.singlePerUser })
    if (!held) throw refuse('refresh_token_not_found', 'Refresh Token Not Found')
    const { user } = held
    if (isBanned(user)) throw refuse('user_banned', 'User Banned')
    if (!held.session_id) throw refuse('session_not_found', 'No Valid Session Found')
    checkAge(sessions, held, user)
    checkClient(held.client_id, clientId)
    if (sessions.singlePerUser) await checkNewest(client, sessions, held, user)
    const next = await chooseNext(ctx, client, sent, held)
    // Returned and thrown after the commit: a rollback would restore the family.
    if (next === null) {
      await commitOrThrow(client)
      return refuse('refresh_token_already_used', 'Already Used')
    }
    return renew(ctx, client, { held, next, origin })
  }
  const first = ctx.hooks.poolOf('custom_access_token') ?? ctx.pool
  const outcome = await runInterruptibly(ctx, first, (pool, enter) =>
    // If anything throws, the pool rolls the transaction back.
    pool.withClient((client) => enter(client, () => refresh(client))),
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
  spends: string | null
  /** The new counter, for tokens with a counter. */
  counter: number | null
}

/** The active or the next token; null if the family was revoked. */
function chooseNext(
  ctx: AuthContext,
  client: pg.Client,
  sent: SentToken,
  held: HeldToken,
): Promise<NextToken | null> {
  return sent.kind === 'row'
    ? nextOfRow(ctx, client, sent.token, held)
    : nextOfCount(ctx, client, sent.token.counter, held)
}

async function nextOfRow(
  ctx: AuthContext,
  client: pg.Client,
  token: string,
  held: HeldToken,
): Promise<NextToken | null> {
  if (!held.revoked) return { token: createRefreshToken(), spends: held.token_id, counter: null }
  const { reuseInterval, rotation } = ctx.settings.sessions
  const reusable = held.active_parent === token || held.token_age! <= reuseInterval
  // A revoked family has no active token, and stays revoked even within the interval.
  if (held.active_token !== null && reusable) {
    return { token: held.active_token, spends: null, counter: null }
  }
  if (rotation) {
    await client.query(
      `update auth.refresh_tokens set revoked = true, updated_at = now()
       where session_id = $1 and revoked is false`,
      [held.session_id],
    )
  }
  ctx.log.warn('auth.refresh_token_reused', { session: held.session_id })
  return null
}

async function nextOfCount(
  ctx: AuthContext,
  client: pg.Client,
  counter: number,
  held: HeldToken,
): Promise<NextToken | null> {
  const { reuseInterval, rotation } = ctx.settings.sessions
  const behind = held.counter! - counter
  if (behind < 0) {
    throw new AuthError(400, 'validation_failed', 'Invalid Refresh Token: Not Issued By This Server')
  }
  const place = behind === 0 ? held.counter! + 1 : held.counter!
  if (behind <= 1 || held.idle < reuseInterval) {
    return { token: renderCountedToken(held.key!, held.session_id!, place), spends: null, counter: place }
  }
  if (rotation) await client.query('delete from auth.sessions where id = $1', [held.session_id])
  ctx.log.warn('auth.refresh_token_reused', { session: held.session_id })
  return null
}

/** Stores the next token, builds the response and commits. */
async function renew(
  ctx: AuthContext,
  client: pg.Client,
  o: { held: HeldToken; next: NextToken; origin: RequestOrigin },
): Promise<SessionAnswer> {
  const { held, next } = o
  const { user } = held
  const { ip } = o.origin
  const values = [held.session_id, ip, o.origin.userAgent.slice(0, 1024), next.counter]
  const deeds = [
    ...(next.spends === null ? [] : [auditStatement(user, 'token_revoked', ip)]),
    auditStatement(user, 'token_refreshed', ip),
    next.spends === null
      ? { name: 'auth_refresh_touch', text: touchSession, values }
      : { name: 'auth_refresh_swap', text: swapToken, values: [...values, next.spends, next.token] },
  ]
  const answer = (): Promise<SessionAnswer> =>
    answerSession(ctx, client, {
      user,
      session: {
        id: held.session_id!,
        aal: held.aal ?? 'aal1',
        amr: held.amr,
        client: held.client_id === null ? null : { id: held.client_id, scopes: held.scopes ?? '' },
      },
      refreshToken: next.token,
      method: 'token_refresh',
      ip,
    })
  if (ctx.settings.hooks.custom_access_token) {
    // The hook sees the changes, and may reject the request.
    await runPipeline(client, deeds)
    const answered = await answer()
    await commitOrThrow(client)
    return answered
  }
  // Refreshes are the most frequent requests here: the token is signed first, so that everything is stored in
  // one round trip.
  const answered = await answer()
  await runPipeline(client, [...deeds, commit])
  return answered
}

const touchSession = `
  update auth.sessions set refreshed_at = clock_timestamp() at time zone 'utc', updated_at = now(),
    ip = $2::inet, user_agent = nullif($3, ''),
    refresh_token_counter = coalesce($4::bigint, refresh_token_counter)
  where id = $1`

const swapToken = `
  with spent as (
      update auth.refresh_tokens set revoked = true, updated_at = clock_timestamp() where id = $5
      returning token, user_id, session_id),
    made as (
      insert into auth.refresh_tokens
        (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
      select '00000000-0000-0000-0000-000000000000', $6, user_id, false, clock_timestamp(),
        clock_timestamp(), token, session_id from spent)
  ${touchSession}`
