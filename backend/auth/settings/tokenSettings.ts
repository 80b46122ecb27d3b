import { ConfigError } from '../../config/loadConfig.ts'
import type { SettingsReader } from './createSettingsReader.ts'

/** What access tokens say of themselves. */
export interface TokenSettings {
  /** Life of access tokens in seconds. */
  jwtExpiry: number
  /** `iss`; empty for the service's own address. */
  jwtIssuer: string
  /** Where this service stands (`https://…/auth/v1`, without a slash at the end); empty for the public address. */
  externalUrl: string
}

/** Reads what `[auth]` says of tokens. Throws ConfigError with a sentence for the person who wrote the file. */
export function readTokenSettings(read: SettingsReader): TokenSettings {
  const externalUrl = read.at('auth.external_url', '').replace(/\/+$/, '')
  if (externalUrl !== '' && !/^https?:\/\//i.test(externalUrl)) {
    throw new ConfigError(`auth.external_url must begin with https:// or http://, unlike "${externalUrl}"`)
  }
  return {
    jwtExpiry: read.within('auth.jwt_expiry', 3600, 10, 604_800),
    jwtIssuer: read.at('auth.jwt_issuer', ''),
    externalUrl,
  }
}
