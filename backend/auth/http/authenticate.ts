import type { Context } from 'hono'
import type pg from 'pg'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { CallerContext, RedirectContext } from '../AuthContext.ts'
import { AuthError } from './AuthError.ts'
import { runPipeline } from '../../postgres/connections/runPipeline.ts'
import { clientAddress } from './clientAddress.ts'
import { chooseRedirect } from './redirects.ts'
import { readUser, userByIdQuery } from '../rows/findUser.ts'
import { hasSecondFactor, type UserRow, isBanned } from '../rows/user.ts'
import { hasExpired } from '../sessions/checkSession.ts'
import type { ClientInfo } from '../sessions/sessions.ts'
import { isUuid } from '../../runtime/isUuid.ts'

export { isUuid }

export type AuthRequest = Context<ServiceEnv>

/** Returns the IP address and user agent of a request, which sessions store and hooks receive. */
export function readClientInfo(c: AuthRequest): ClientInfo {
  return { ip: clientAddress(c), userAgent: c.req.header('user-agent') ?? '' }
}

/** Returns the URL to which a link in a mail finally redirects: the URL in the request, if it is allowed. */
export function readRedirectUrl(ctx: RedirectContext, c: AuthRequest, preferred?: string): string {
  const candidates = [
    preferred,
    c.req.header('redirect_to') ?? c.req.query('redirect_to'),
    c.req.header('referer'),
  ]
  return chooseRedirect(candidates, ctx.siteUrl(), ctx.allowedRedirects)
}

export interface AuthenticatedUser {
  user: UserRow
  /** Null for tokens without a session, which someone with the JWT secret has signed. */
  session: {
    id: string
    aal: string
    createdAt: Date
    /** The OAuth client that the session belongs to; null for the site itself. */
    clientId: string | null
    /** The scopes that the client was granted, separated by spaces. */
    scopes: string
  } | null
}

function missingBearerError(c: AuthRequest): AuthError | null {
  return /^bearer\s+\S/i.test(c.req.header('authorization') ?? '')
    ? null
    : new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
}

/**
 * Returns the user of the access token. A token is valid only while its user and its session exist, so that signing
 * out and deleting a user take effect at once.
 * @throws AuthError 401 no_authorization; 403 bad_jwt, user_not_found, session_not_found, user_banned
 */
export async function requireUser(ctx: CallerContext, c: AuthRequest): Promise<AuthenticatedUser> {
  const bearer = c.get('bearer')
  if (!bearer) {
    throw missingBearerError(c) ?? new AuthError(403, 'bad_jwt', 'invalid claim: missing sub claim')
  }
  const verified = await ctx.verifyToken(bearer)
  if (!verified.ok) {
    const message = `invalid JWT: unable to parse or verify signature, ${verified.message}`
    throw new AuthError(403, 'bad_jwt', message)
  }
  const { sub, session_id: sessionId } = verified.caller.claims
  if (typeof sub !== 'string' || sub === '') {
    throw new AuthError(403, 'bad_jwt', 'invalid claim: missing sub claim')
  }
  if (!isUuid(sub)) throw new AuthError(400, 'bad_jwt', 'invalid claim: sub claim must be a UUID')
  const id = typeof sessionId === 'string' && sessionId !== '' ? sessionId : null
  if (id !== null && !isUuid(id)) {
    throw new AuthError(403, 'bad_jwt', 'invalid claim: session_id claim must be a UUID')
  }
  // Both in one round trip: every request of a signed-in client passes here.
  const statements = id === null ? [userByIdQuery(sub)] : [userByIdQuery(sub), sessionById(sub, id)]
  const [users, sessions] = await ctx.pool.withClient((client) => runPipeline(client, statements))
  const user = readUser(users!)
  const session = id === null ? null : toSession(id, sessions!)
  if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  if (id !== null && session === null) {
    const message = 'Session from session_id claim in JWT does not exist'
    throw new AuthError(403, 'session_not_found', message)
  }
  rejectBannedUser(user)
  return { user, session }
}

const sessionById = (userId: string, id: string): pg.QueryConfig => ({
  name: 'auth_session_by_id',
  text: `select aal::text, extract(epoch from created_at)::float8 as created,
           oauth_client_id as client_id, scopes
         from auth.sessions where id = $1 and user_id = $2`,
  values: [id, userId],
})

interface SessionRow {
  aal: string | null
  created: number
  client_id: string | null
  scopes: string | null
}

function toSession(id: string, { rows }: pg.QueryResult): AuthenticatedUser['session'] {
  const row = rows[0] as SessionRow | undefined
  if (!row) return null
  const { aal, created, client_id: clientId, scopes } = row
  return { id, aal: aal ?? 'aal1', createdAt: new Date(created * 1000), clientId, scopes: scopes ?? '' }
}

/** Throws AuthError 403 no_authorization if the token belongs to an OAuth client rather than to the site. */
export function rejectOAuthClients({ session }: AuthenticatedUser): void {
  if (!session?.clientId) return
  const message = 'OAuth clients are not allowed to perform these actions'
  throw new AuthError(403, 'no_authorization', message)
}

/**
 * Returns the user of an access token that was issued to the site itself. Every request that changes an account
 * requires such a token. Hosted Supabase also accepts tokens of OAuth clients. There, a client that may read the
 * email address can take over the account, or grant full access to itself and other clients.
 * @throws AuthError as requireUser does; 403 no_authorization
 */
export async function requireFirstPartyUser(ctx: CallerContext, c: AuthRequest): Promise<AuthenticatedUser> {
  const me = await requireUser(ctx, c)
  rejectOAuthClients(me)
  return me
}

/**
 * Requires every enrolled factor for adding and removing sign-in methods. Otherwise someone who has only the password
 * could add a method that works even after the password is changed. Hosted Supabase does not require it for linking
 * identities and for authorizing OAuth clients.
 * @throws AuthError 403 insufficient_aal
 */
export function requireSecondFactor(
  { user, session }: AuthenticatedUser,
  action = 'change how an account is entered',
): void {
  if (!hasSecondFactor(user) || session?.aal === 'aal2') return
  const message = `AAL2 session is required to ${action} when MFA is enabled`
  throw new AuthError(403, 'insufficient_aal', message)
}

const adminRoles = new Set(['service_role', 'supabase_admin'])

/** Accepts only service keys. Throws AuthError 401, 403. */
export async function requireAdmin(ctx: CallerContext, c: AuthRequest): Promise<void> {
  const bearer = c.get('bearer')
  if (!bearer) {
    if (adminRoles.has(c.get('apiCaller').role)) return
    throw missingBearerError(c) ?? new AuthError(403, 'not_admin', 'User not allowed')
  }
  const verified = await ctx.verifyToken(bearer)
  if (!verified.ok) {
    const message = `invalid JWT: unable to parse or verify signature, ${verified.message}`
    throw new AuthError(403, 'bad_jwt', message)
  }
  // The session must exist: otherwise a user's token would stay valid after its session, whatever role it
  // names.
  if (verified.caller.claims.session_id) {
    const { user, session } = await requireUser(ctx, c)
    if (session !== null && (await hasExpired(ctx.pool, ctx.settings.sessions, session.id, user))) {
      throw new AuthError(403, 'session_expired', 'Session is no longer valid')
    }
  }
  // The token of an OAuth client is not accepted, even if an administrator authorized the client.
  const isClient = verified.caller.claims.client_id !== undefined
  if (isClient || !adminRoles.has(verified.caller.role)) {
    throw new AuthError(403, 'not_admin', 'User not allowed')
  }
}

/**
 * Rejects requests of users whom an administrator has banned.
 * @throws AuthError 403 user_banned
 */
export function rejectBannedUser(user: UserRow): void {
  if (isBanned(user)) throw new AuthError(403, 'user_banned', 'User is banned')
}
