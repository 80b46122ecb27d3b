import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../asking/AuthError.ts'
import { requireUser, type AuthRequest } from '../asking/callers.ts'
import type { UserRow } from '../rows/user.ts'
import { parseScopes } from './scopes.ts'

/** Refuses everything while config.toml has the server off. Throws AuthError 404 feature_disabled. */
export function requireServer(ctx: AuthContext): void {
  if (!ctx.settings.oauthServer.enabled) {
    throw new AuthError(404, 'feature_disabled', 'OAuth server is disabled')
  }
}

/**
 * Whoever is signed in, and as what: `clientId` null at the site itself; `scopes` null without a session.
 * @throws AuthError as requireUser does
 */
export async function requireUserOfClient(
  ctx: AuthContext,
  c: AuthRequest,
): Promise<{ user: UserRow; clientId: string | null; scopes: string[] | null }> {
  const { user, session } = await requireUser(ctx, c)
  if (session === null) return { user, clientId: null, scopes: null }
  const { rows } = await ctx.pool.query({
    name: 'auth_session_client',
    text: 'select oauth_client_id, scopes from auth.sessions where id = $1',
    values: [session.id],
  })
  const row = rows[0] as { oauth_client_id: string | null; scopes: string | null } | undefined
  return { user, clientId: row?.oauth_client_id ?? null, scopes: parseScopes(row?.scopes ?? '') }
}

/**
 * Whoever is signed in at the site. Hosted takes the token of a client here too, so that a client which was let in
 * for an address can let itself, and every other, in for everything.
 * @throws AuthError as requireUser does; 403 no_authorization
 */
export async function requireOwnUser(ctx: AuthContext, c: AuthRequest): Promise<UserRow> {
  const { user, clientId } = await requireUserOfClient(ctx, c)
  if (clientId !== null) {
    const message = 'OAuth clients are not allowed to perform these actions'
    throw new AuthError(403, 'no_authorization', message)
  }
  return user
}
