import type { Transaction } from '../Transaction.ts'
import type pg from 'pg'
import { AuthError, OAuthError } from '../http/AuthError.ts'
import type { Queryable } from '../rows/findUser.ts'
import { hasSecondFactor, type UserRow } from '../rows/user.ts'
import type { SessionSettings } from '../settings/sessionSettings.ts'
import type { RefreshTokenState } from './findRefreshToken.ts'

function sessionExpired(why: string): AuthError {
  return new AuthError(400, 'session_expired', `Invalid Refresh Token: Session Expired${why}`)
}

/** Columns of a session's age, in ms, by the database's clock. */
const ageColumns = `aal::text, coalesce(not_after < clock_timestamp(), false) as not_after_passed,
  (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as session_age,
  (extract(epoch from now() - coalesce(refreshed_at at time zone 'utc', created_at)) * 1000)::float8 as idle`

type SessionAge = Pick<RefreshTokenState, 'not_after_passed' | 'session_age' | 'idle' | 'aal'>

/** Why a session has expired, as the suffix of GoTrue's message; null if it has not. */
function expiryReason(settings: SessionSettings, session: SessionAge, user: UserRow): string | null {
  const { timebox, inactivity, allowLowAal } = settings
  if (session.not_after_passed || (timebox > 0 && session.session_age > timebox)) return ''
  if (inactivity > 0 && session.idle > inactivity) return ' (Inactivity)'
  const isLow = session.aal !== 'aal2' && hasSecondFactor(user)
  if (allowLowAal > 0 && isLow && session.session_age > allowLowAal) {
    return ' (Low AAL: User Needs MFA Verification)'
  }
  return null
}

/** @throws AuthError 400 session_expired */
export function checkNotExpired(settings: SessionSettings, token: RefreshTokenState, user: UserRow): void {
  const reason = expiryReason(settings, token, user)
  if (reason !== null) throw sessionExpired(reason)
}

/** Whether a session has expired, although its row still exists and its access token is valid. */
export async function hasExpired(
  db: Queryable,
  settings: SessionSettings,
  sessionId: string,
  user: UserRow,
): Promise<boolean> {
  const { rows } = await db.query({
    name: 'auth_session_age',
    text: `select ${ageColumns} from auth.sessions where id = $1`,
    values: [sessionId],
  })
  const session = rows[0] as SessionAge | undefined
  return session === undefined || expiryReason(settings, session, user) !== null
}

/**
 * Refresh tokens of an OAuth client are valid for that client only, and those of the site for no client. Throws
 * OAuthError.
 */
export function checkOAuthClient(owner: string | null, caller: string | null): void {
  if (owner === caller) return
  const refuse = (message: string): OAuthError => new OAuthError('invalid_client', message)
  if (owner === null) throw refuse('Client authentication not allowed for non-OAuth session')
  if (caller === null) throw refuse('Client authentication required for OAuth session')
  throw refuse("Client does not match the session's OAuth client")
}

type OtherSession = SessionAge & Pick<RefreshTokenState, 'tag'> & pg.QueryResultRow

/**
 * With one session per user and tag: checks that this session was used last, of those that have not expired.
 * The user must be locked, otherwise two sessions could each find the other one older.
 * @throws AuthError 400 session_expired if another session is newer
 */
export async function checkNewestSession(
  tx: Transaction,
  settings: SessionSettings,
  token: RefreshTokenState,
  user: UserRow,
): Promise<void> {
  const tagOf = (tag: string | null): string =>
    tag !== null && settings.tags.includes(tag) ? tag : (settings.tags[0] ?? '')
  const { rows } = await tx.query<OtherSession>({
    name: 'auth_other_sessions',
    text: `select tag, ${ageColumns} from auth.sessions where user_id = $1 and id <> $2`,
    values: [user.id, token.session_id],
  })
  const isNewer = (other: OtherSession): boolean =>
    expiryReason(settings, other, user) === null &&
    tagOf(other.tag) === tagOf(token.tag) &&
    other.idle < token.idle
  if (rows.some(isNewer)) throw sessionExpired(' (Revoked by Newer Login)')
}
