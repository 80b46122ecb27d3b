import type { Transaction } from '../Transaction.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Claims } from '../../../wire/claims.ts'
import type { SessionContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { callHook } from '../hooks/callHook.ts'
import { hasSecondFactor, renderUser, type UserRow } from '../rows/user.ts'
import { signToken } from '../tokens/signToken.ts'
import { makeOnce } from '../transact.ts'
import type { AuthSettings } from '../settings/authSettings.ts'

/** The facts about the client that a session stores. */
export interface ClientInfo {
  ip: string
  userAgent: string
}

/** The response to every kind of sign-in. */
export interface SessionResponse {
  access_token: string
  token_type: 'bearer'
  /** Seconds. */
  expires_in: number
  /** Seconds since 1970. */
  expires_at: number
  refresh_token: string
  user: Record<string, unknown>
  weak_password?: { message: string; reasons: string[] }
  /** The provider's tokens, for clients that call its API. */
  provider_token?: string
  provider_refresh_token?: string
}

interface SessionState {
  id: string
  aal: 'aal1' | 'aal2'
  amr: { method: string; timestamp: number }[]
  oauthClient: SessionClient | null
}

/** The OAuth client to which a session belongs, and the scopes that it was granted (RFC 6749 §3.3). */
export interface SessionClient {
  id: string
  scopes: string
}

/** Creates a refresh token in the format of hosted Supabase: 12 random characters. */
export function createRefreshToken(): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz234567'
  return Array.from(randomBytes(12), (byte) => letters[byte % 32]).join('')
}

/** Prepares a header's value for storage: removes U+0000 and limits the length. */
function sanitizeHeader(text: string): string {
  return text.replaceAll('\u0000', '').slice(0, 1024)
}

/**
 * Creates a session for `user`: its row, refresh token and authentication method, and the tokens.
 * @param o.oauth the OAuth client that the user authorized, if it is not the site itself. It has an id that the
 * caller chose, by which the caller finds the session again
 */
export async function issueSession(
  ctx: SessionContext,
  tx: Transaction,
  o: {
    user: UserRow
    method: string
    clientInfo: ClientInfo
    oauth?: { sessionId: string; client: SessionClient }
  },
): Promise<SessionResponse> {
  const id = o.oauth?.sessionId ?? makeOnce(tx, 'session', randomUUID)
  const refreshToken = createRefreshToken()
  const now = new Date()
  await tx.query({
    name: 'auth_session_create',
    text: `with
      session as (
        insert into auth.sessions
          (id, user_id, created_at, updated_at, aal, ip, user_agent, oauth_client_id, scopes)
        values ($1, $2, $5, $5, 'aal1', $6::inet, nullif($7, ''), $8, $9) returning id),
      token as (
        insert into auth.refresh_tokens
          (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
        select '00000000-0000-0000-0000-000000000000', $3, $2::uuid::text, false, $5, $5, '', id
        from session),
      means as (
        insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
        select gen_random_uuid(), id, $5, $5, $4 from session)
      update auth.users set last_sign_in_at = $5, updated_at = $5 where id = $2`,
    values: [
      id,
      o.user.id,
      refreshToken,
      o.method,
      now,
      o.clientInfo.ip,
      sanitizeHeader(o.clientInfo.userAgent),
      o.oauth?.client.id ?? null,
      o.oauth?.client.scopes ?? null,
    ],
  })
  o.user.last_sign_in_at = now.toISOString()
  const amr = [{ method: o.method, timestamp: Math.floor(now.getTime() / 1000) }]
  return buildSessionResponse(ctx, tx, {
    user: o.user,
    session: { id, aal: 'aal1', amr, oauthClient: o.oauth?.client ?? null },
    refreshToken,
    method: o.method,
    ip: o.clientInfo.ip,
  })
}

/** Signs an access token for a session, and builds the response. */
export async function buildSessionResponse(
  ctx: SessionContext,
  tx: Transaction,
  o: { user: UserRow; session: SessionState; refreshToken: string; method: string; ip: string },
): Promise<SessionResponse> {
  const { user, session } = o
  const iat = Math.floor(Date.now() / 1000)
  const exp = Math.min(iat + ctx.settings.jwtExpiry, await lowAalDeadline(ctx.settings, tx, o))
  let claims: Claims = {
    iss: ctx.issuer(),
    sub: user.id,
    aud: user.aud || 'authenticated',
    exp,
    iat,
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    role: user.role ?? '',
    aal: session.aal,
    amr: session.amr,
    session_id: session.id,
    is_anonymous: user.is_anonymous,
    ...(session.oauthClient ? { client_id: session.oauthClient.id, scope: session.oauthClient.scopes } : {}),
  }
  const event = { user_id: user.id, claims, authentication_method: o.method }
  const response = await callHook(ctx, tx, 'custom_access_token', event, { ip: o.ip })
  if (response) claims = checkClaims(response.claims)
  return {
    access_token: signToken(ctx.keys, claims),
    token_type: 'bearer',
    expires_in: exp - iat,
    expires_at: exp,
    refresh_token: o.refreshToken,
    user: renderUser(user),
  }
}

/**
 * Returns the time by which a session must be upgraded to aal2, in seconds since 1970. No access token may be valid
 * for longer. Infinity if there is no such time.
 */
async function lowAalDeadline(
  settings: AuthSettings,
  tx: Transaction,
  o: { user: UserRow; session: SessionState },
): Promise<number> {
  const { allowLowAal } = settings.sessions
  if (allowLowAal === 0 || o.session.aal === 'aal2' || !hasSecondFactor(o.user)) return Infinity
  const { rows } = await tx.query<{ created: number }>({
    name: 'auth_session_created',
    text: 'select extract(epoch from created_at)::float8 as created from auth.sessions where id = $1',
    values: [o.session.id],
  })
  return Math.floor(rows[0]!.created + allowLowAal / 1000)
}

const requiredClaims = [
  'aud',
  'exp',
  'iat',
  'sub',
  'email',
  'phone',
  'role',
  'aal',
  'session_id',
  'is_anonymous',
]

/** Checks the claims that a hook returned. Throws AuthError 500 if a claim is missing that every service needs. */
function checkClaims(claims: unknown): Claims {
  if (!claims || typeof claims !== 'object') {
    throw new AuthError(500, '', 'output claims field is missing')
  }
  const missing = requiredClaims.filter((name) => !(name in claims))
  if (missing.length > 0) {
    const list = missing.map((name) => `- (root): ${name} is required\n`).join('')
    throw new AuthError(500, '', `output claims do not conform to the expected schema: \n${list}`)
  }
  return claims as Claims
}
