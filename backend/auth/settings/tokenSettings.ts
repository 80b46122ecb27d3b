import type { SettingsReader } from './createSettingsReader.ts'

/** Settings of access tokens. */
export interface TokenSettings {
  /** Lifetime of access tokens, in seconds. */
  jwtExpiry: number
  /** `iss`; empty for this service's URL. */
  jwtIssuer: string
  /**
   * This service's URL (`https://…/auth/v1`, without a trailing slash); empty to derive it from the public URL.
   */
  externalUrl: string
}

/** Reads the token settings of `[auth]`. Throws ConfigError with a sentence for the administrator. */
export function readTokenSettings(read: SettingsReader): TokenSettings {
  const externalUrl = read.at('auth.external_url', '').replace(/\/+$/, '')
  if (externalUrl !== '' && !/^https?:\/\//i.test(externalUrl)) {
    throw read.errorAt('auth.external_url', `must begin with https:// or http://, unlike "${externalUrl}"`)
  }
  return {
    jwtExpiry: read.integer('auth.jwt_expiry', 3600, 10, 604_800),
    jwtIssuer: read.at('auth.jwt_issuer', ''),
    externalUrl,
  }
}
