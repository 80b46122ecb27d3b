import type { AuthContext } from '../../auth/AuthContext.ts'
import { AuthError } from '../../auth/http/AuthError.ts'
import type { OAuthServerSettings } from './oauthServerSettings.ts'

/** What the routes of the OAuth server share. */
export interface OAuthServerContext extends AuthContext {
  oauthServer: OAuthServerSettings
}

/** Throws AuthError 404 feature_disabled if config.toml disables the OAuth server. */
export function requireOAuthServer(ctx: OAuthServerContext): void {
  if (!ctx.oauthServer.enabled) {
    throw new AuthError(404, 'feature_disabled', 'OAuth server is disabled')
  }
}
