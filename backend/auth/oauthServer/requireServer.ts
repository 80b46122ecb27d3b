import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'

/** Refuses everything while config.toml has the server off. Throws AuthError 404 feature_disabled. */
export function requireServer(ctx: AuthContext): void {
  if (!ctx.settings.oauthServer.enabled) {
    throw new AuthError(404, 'feature_disabled', 'OAuth server is disabled')
  }
}
