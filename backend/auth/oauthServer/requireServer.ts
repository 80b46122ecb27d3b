import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'

/** Throws AuthError 404 feature_disabled if config.toml disables the OAuth server. */
export function requireOAuthServer(ctx: AuthContext): void {
  if (!ctx.settings.oauthServer.enabled) {
    throw new AuthError(404, 'feature_disabled', 'OAuth server is disabled')
  }
}
