import type { AuthApp } from '../../auth/AuthContext.ts'
import { AuthError, OAuthError } from '../../auth/http/AuthError.ts'
import { readClientInfo, requireUser } from '../../auth/http/authenticate.ts'
import { authenticateClient } from './authenticateClient.ts'
import { beginAuthorization } from './beginAuthorization.ts'
import { userInfo } from './userInfo.ts'
import { serverMetadata } from './serverMetadata.ts'
import { readClientFields } from './validateClient.ts'
import { redeemCode } from './redeemCode.ts'
import { registerClient } from './registerClient.ts'
import { type OAuthServerContext, requireOAuthServer } from './OAuthServerContext.ts'
import { parseScopes } from './scopes.ts'
import { refreshSession } from '../../auth/sessions/refreshSession.ts'
import type { SessionResponse } from '../../auth/sessions/sessions.ts'

/**
 * The endpoints of the OAuth server for clients: metadata, registration, authorization, tokens and user info.
 */
export function addClientRoutes(app: AuthApp, ctx: OAuthServerContext): void {
  app.get('/.well-known/openid-configuration', (c) => {
    c.header('Cache-Control', 'public, max-age=600')
    return c.json(serverMetadata(ctx))
  })
  app.get('/.well-known/oauth-authorization-server', (c) => {
    requireOAuthServer(ctx)
    c.header('Cache-Control', 'public, max-age=600')
    return c.json(serverMetadata(ctx))
  })

  app.post('/oauth/clients/register', async (c) => {
    requireOAuthServer(ctx)
    ctx.limits.count('oauthRegister', readClientInfo(c).ip)
    if (!ctx.oauthServer.dynamicRegistration) {
      const message = 'Dynamic client registration is not enabled'
      throw new AuthError(403, 'oauth_dynamic_client_registration_disabled', message)
    }
    return c.json(await registerClient(ctx.pool, await readClientFields(c), 'dynamic'), 201)
  })

  app.get('/oauth/authorize', async (c) => {
    requireOAuthServer(ctx)
    ctx.limits.count('oauthAuthorize', readClientInfo(c).ip)
    return c.redirect(await beginAuthorization(ctx, c))
  })

  app.post('/oauth/token', async (c) => {
    requireOAuthServer(ctx)
    const { client, request } = await authenticateClient(ctx.pool, c)
    const { grant_type: grant } = request
    if (grant === '') throw new OAuthError('invalid_request', 'grant_type is required')
    if (!client.grantTypes.includes(grant)) {
      const message = `Client is not allowed to use grant type: ${grant}`
      throw new OAuthError('unsupported_grant_type', message)
    }
    if (grant === 'authorization_code') {
      const { id_token: idToken, ...session } = await redeemCode(ctx, client, request, readClientInfo(c))
      return c.json({ ...pickTokens(session), ...(idToken === undefined ? {} : { id_token: idToken }) })
    }
    if (request.refresh_token === '') {
      throw new OAuthError('invalid_request', 'refresh_token is required for refresh_token grant')
    }
    return c.json(pickTokens(await refreshSession(ctx, request.refresh_token, readClientInfo(c), client.id)))
  })

  app.get('/oauth/userinfo', async (c) => {
    requireOAuthServer(ctx)
    const { user, session } = await requireUser(ctx, c)
    return c.json(userInfo(user, parseScopes(session?.scopes ?? '')))
  })
}

/** The part of a session that a client receives: the tokens, without the user. */
function pickTokens(session: SessionResponse): Record<string, unknown> {
  const { access_token, token_type, expires_in, refresh_token } = session
  return { access_token, token_type, expires_in, refresh_token }
}
