import type { AuthContext } from '../../auth/AuthContext.ts'
import { AuthError } from '../../auth/http/AuthError.ts'
import type { SettingsReader } from '../../auth/settings/createSettingsReader.ts'

/** `[auth.oauth_server]` of config.toml: whether other applications can use this server for sign-in. */
export interface OAuthServerSettings {
  enabled: boolean
  /** The path, below the site's URL, of the consent page; may be empty. */
  authorizationPath: string
  /** Whether applications can register themselves as clients. */
  dynamicRegistration: boolean
}

/** Reads `[auth.oauth_server]`. Throws ConfigError with a sentence for the administrator. */
export function readOAuthServerSettings(read: SettingsReader): OAuthServerSettings {
  return {
    enabled: read.at('auth.oauth_server.enabled', false),
    authorizationPath: read.at('auth.oauth_server.authorization_url_path', ''),
    dynamicRegistration: read.at('auth.oauth_server.allow_dynamic_registration', false),
  }
}

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
