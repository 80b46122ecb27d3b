import type { Transaction } from '../Transaction.ts'
import { begin, runPipeline } from '../../postgres/connections/runPipeline.ts'
import { invalid } from '../http/AuthError.ts'
import { userJson } from '../rows/findUser.ts'
import type { UserRow } from '../rows/user.ts'
import { isSignedWith, parseCounterToken, type CounterToken } from './counterToken.ts'

/** A refresh token as received: one that is stored as a row, or one with a counter. */
export type ParsedToken = { kind: 'row'; token: string } | { kind: 'counter'; token: CounterToken }

/** Parses a refresh token. Throws AuthError 400 validation_failed if it has neither format. */
export function parseRefreshToken(token: string): ParsedToken {
  if (/^[a-z0-9]{12}$/.test(token)) return { kind: 'row', token }
  const counterToken = token.length > 12 && token.length <= 128 ? parseCounterToken(token) : null
  if (!counterToken) throw invalid('Refresh token is not valid')
  return { kind: 'counter', token: counterToken }
}

/** The state of a refresh token, its session and its user. Times in ms. */
export interface RefreshTokenState {
  user: UserRow
  /** The row's id; null for a token with a counter. */
  token_id: string | null
  revoked: boolean | null
  /** Since the row last changed. */
  token_age: number | null
  session_id: string | null
  session_age: number
  /** Since the last refresh, or the sign-in. */
  idle: number
  not_after_passed: boolean
  aal: 'aal1' | 'aal2' | null
  client_id: string | null
  scopes: string | null
  tag: string | null
  /** For sessions whose tokens have a counter. */
  key: Buffer | null
  counter: number | null
  amr: { method: string; timestamp: number }[]
  active_token: string | null
  active_parent: string | null
}

/**
 * Begins a transaction, locks the session of a token until the transaction ends, and reads both; null if the
 * token was not issued here.
 * @param o.lockUser locks the user first, which all of the user's sessions then wait for: the same lock order
 *   as in everything that changes an account
 */
export async function findRefreshToken(
  tx: Transaction,
  parsed: ParsedToken,
  o: { lockUser: boolean },
): Promise<RefreshTokenState | null> {
  const isRow = parsed.kind === 'row'
  const values = [isRow ? parsed.token : parsed.token.sessionId]
  const lock = (what: string, text: string) => ({ name: `auth_refresh_lock_${what}`, text, values })
  // The locks are separate statements: a statement that locks and reads would return the state from before the
  // wait, and two concurrent refreshes would fork the token chain.
  const results = await runPipeline(tx.client, [
    begin,
    ...(o.lockUser ? [lock(isRow ? 'user' : 'counted_user', isRow ? lockUserOfRow : lockUserOfSession)] : []),
    lock(isRow ? 'session' : 'counted_session', isRow ? lockSessionOfRow : lockSession),
    {
      name: isRow ? 'auth_refresh_find' : 'auth_refresh_find_counted',
      text: isRow ? findRow : findSession,
      values,
    },
  ])
  const state = results.at(-1)!.rows[0] as RefreshTokenState | undefined
  if (!state) return null
  // A key is 32 bytes; only hosted Supabase can read the ones that it has encrypted.
  if (parsed.kind === 'counter' && (state.key?.length !== 32 || state.counter === null)) return null
  if (parsed.kind === 'counter' && !isSignedWith(state.key!, parsed.token)) return null
  return state
}

const ofRow = '(select session_id from auth.refresh_tokens where token = $1)'
const lockUserOfRow = `select 1 from auth.users
  where id = (select user_id from auth.sessions where id = ${ofRow}) for no key update`
const lockSessionOfRow = `select 1 from auth.sessions where id = ${ofRow} for no key update`
const lockUserOfSession = `select 1 from auth.users
  where id = (select user_id from auth.sessions where id = $1) for no key update`
const lockSession = 'select 1 from auth.sessions where id = $1 for no key update'

const ms = (from: string, at = 'clock_timestamp()'): string =>
  `(extract(epoch from ${at} - ${from}) * 1000)::float8`

/** @param used the time of last use if the session was never refreshed */
const session = (used: string): string => `
  s.id as session_id, s.aal::text as aal, s.oauth_client_id as client_id, s.scopes, s.tag,
  ${ms('s.created_at')} as session_age,
  -- Of one moment in the whole transaction, since the query compares sessions by it.
  ${ms(`coalesce(s.refreshed_at at time zone 'utc', ${used})`, 'now()')} as idle,
  coalesce(s.not_after < clock_timestamp(), false) as not_after_passed,
  coalesce((select json_agg(json_build_object('method', m.authentication_method,
      'timestamp', extract(epoch from m.updated_at)::bigint) order by m.updated_at desc)
    from auth.mfa_amr_claims m where m.session_id = s.id), '[]') as amr`

const findRow = `
  select ${userJson}, t.id::text as token_id, t.revoked, ${ms('t.updated_at')} as token_age,
    ${session('greatest(t.updated_at, s.created_at)')},
    null as key, null as counter, a.token as active_token, a.parent as active_parent
  from auth.refresh_tokens t
  join auth.users u on u.id = t.user_id::uuid
  left join auth.sessions s on s.id = t.session_id
  left join lateral (
    select token, parent from auth.refresh_tokens
    where session_id = s.id and revoked is false order by id desc limit 1) a on true
  where t.token = $1`

const findSession = `
  select ${userJson}, null as token_id, null as revoked, null as token_age,
    ${session('s.created_at')},
    decode(case when s.refresh_token_hmac_key ~ '^[A-Za-z0-9_-]{43}$'
      then translate(s.refresh_token_hmac_key, '-_', '+/') || '=' end, 'base64') as key,
    s.refresh_token_counter::float8 as counter, null as active_token, null as active_parent
  from auth.sessions s
  join auth.users u on u.id = s.user_id
  where s.id = $1`
