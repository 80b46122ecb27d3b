import type { SettingsReader } from './createSettingsReader.ts'

/** `[auth.oauth_server]` of config.toml: whether other applications can sign people in by this house. */
export interface OAuthServerSettings {
  enabled: boolean
  /** The page below the site's address that asks people whether to let a client in; may be empty. */
  authorizationPath: string
  /** Whether applications may make themselves clients. */
  dynamicRegistration: boolean
}

/** Reads `[auth.oauth_server]`. Throws ConfigError with a sentence for the person who wrote the file. */
export function readOAuthServerSettings(read: SettingsReader): OAuthServerSettings {
  return {
    enabled: read.at('auth.oauth_server.enabled', false),
    authorizationPath: read.at('auth.oauth_server.authorization_url_path', ''),
    dynamicRegistration: read.at('auth.oauth_server.allow_dynamic_registration', false),
  }
}
