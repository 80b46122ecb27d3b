import type pg from 'pg'
import { AuthError } from '../http/AuthError.ts'
import { OAuthError } from '../http/OAuthError.ts'
import type { Queryable } from '../rows/findUser.ts'
import { hasSecondFactor, type UserRow } from '../rows/user.ts'
import type { SessionSettings } from '../settings/sessionSettings.ts'
import type { HeldToken } from './findRefreshToken.ts'

function expired(why: string): AuthError {
  return new AuthError(400, 'session_expired', `Invalid Refresh Token: Session Expired${why}`)
}

/** Columns of a session's age, in ms, by the database's clock. */
const aged = `aal::text, coalesce(not_after < clock_timestamp(), false) as not_after_passed,
  (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as session_age,
  (extract(epoch from now() - coalesce(refreshed_at at time zone 'utc', created_at)) * 1000)::float8 as idle`

type Aged = Pick<HeldToken, 'not_after_passed' | 'session_age' | 'idle' | 'aal'>

/** Why a session has expired, as the suffix of GoTrue's message; null if it has not. */
function endOf(settings: SessionSettings, session: Aged, user: UserRow): string | null {
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
export function checkAge(settings: SessionSettings, held: HeldToken, user: UserRow): void {
  const end = endOf(settings, held, user)
  if (end !== null) throw expired(end)
}

/** Whether a session has expired, although its row still exists and its access token is valid. */
export async function hasEnded(
  db: Queryable,
  settings: SessionSettings,
  sessionId: string,
  user: UserRow,
): Promise<boolean> {
  const { rows } = await db.query({
    name: 'auth_session_age',
    text: `select ${aged} from auth.sessions where id = $1`,
    values: [sessionId],
  })
  const session = rows[0] as Aged | undefined
  return session === undefined || endOf(settings, session, user) !== null
}

/**
 * Refresh tokens of an OAuth client are valid for that client only, and those of the site for no client. Throws
 * OAuthError.
 */
export function checkClient(owner: string | null, asking: string | null): void {
  if (owner === asking) return
  const refuse = (message: string): OAuthError => new OAuthError('invalid_client', message)
  if (owner === null) throw refuse('Client authentication not allowed for non-OAuth session')
  if (asking === null) throw refuse('Client authentication required for OAuth session')
  throw refuse("Client does not match the session's OAuth client")
}

type OtherSession = Aged & Pick<HeldToken, 'tag'> & pg.QueryResultRow

/**
 * With one session per user and tag: checks that this session was used last, of those that have not expired.
 * The user must be locked, otherwise two sessions could each find the other one older.
 * @throws AuthError 400 session_expired if another session is newer
 */
export async function checkNewest(
  client: pg.Client,
  settings: SessionSettings,
  held: HeldToken,
  user: UserRow,
): Promise<void> {
  const tagOf = (tag: string | null): string =>
    tag !== null && settings.tags.includes(tag) ? tag : (settings.tags[0] ?? '')
  const { rows } = await client.query<OtherSession>({
    name: 'auth_other_sessions',
    text: `select tag, ${aged} from auth.sessions where user_id = $1 and id <> $2`,
    values: [user.id, held.session_id],
  })
  const isNewer = (one: OtherSession): boolean =>
    endOf(settings, one, user) === null && tagOf(one.tag) === tagOf(held.tag) && one.idle < held.idle
  if (rows.some(isNewer)) throw expired(' (Revoked by Newer Login)')
}
