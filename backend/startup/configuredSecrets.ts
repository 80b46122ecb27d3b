import { decodeJwt } from 'jose'
import type { Claims } from '../../wire/claims.ts'
import { issueLegacyKey } from '../auth/tokens/keys.ts'
import type { Config } from '../config/loadConfig.ts'
import type { ApiKeys } from '../gateway/createGateway.ts'
import type { Secrets } from './secrets.ts'

/** The secret and the keys of every project that the official CLI starts without keys of its own. They are public. */
export const publicSecret = 'super-secret-jwt-token-with-at-least-32-characters-long'
const publicKeys = {
  publishableKey: 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH',
  secretKey: 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz',
}

/** The issuer in the CLI's own `anon` and `service_role` keys. */
const publicIssuer = 'supabase-demo'

/** Whether a key looks like one that the official CLI uses for every local project. */
export function isPublicKey(key: string): boolean {
  return Object.values(publicKeys).includes(key) || claimsOf(key)?.iss === publicIssuer
}

/** The shortest secret that the official CLI accepts. */
const minSecretLength = 16

/**
 * Replaces the stored secrets with the keys in `[auth]` of config.toml. LINNET_JWT_SECRET overrides both. If the secret is
 * that of the official CLI, the server also accepts the keys that belong to it. Throws ConfigError, whose message
 * contains no part of a key.
 */
export function configuredSecrets(secrets: Secrets, config: Config): Secrets {
  const configured = config.at<string>('auth.jwt_secret', '')
  if (configured !== '' && configured.length < minSecretLength)
    throw config.errorAt('auth.jwt_secret', `must have at least ${minSecretLength} characters`)
  const isOverridden = (process.env['LINNET_JWT_SECRET'] ?? '') !== ''
  const jwtSecret = isOverridden ? secrets.jwtSecret : configured || secrets.jwtSecret
  const { publishableKey, secretKey } = jwtSecret === publicSecret ? publicKeys : secrets
  return {
    ...secrets,
    jwtSecret,
    publishableKey: prefixedKey(config, 'publishable_key', 'sb_publishable_') || publishableKey,
    secretKey: prefixedKey(config, 'secret_key', 'sb_secret_') || secretKey,
  }
}

/** The API keys of an installation. The legacy keys are derived from the secret unless config.toml has them. */
export function apiKeysOf(secrets: Secrets, config: Config): ApiKeys {
  const { jwtSecret, publishableKey, secretKey } = secrets
  return {
    anonKey: legacyKey(config, 'anon_key', 'anon') || issueLegacyKey(jwtSecret, 'anon'),
    serviceRoleKey:
      legacyKey(config, 'service_role_key', 'service_role') || issueLegacyKey(jwtSecret, 'service_role'),
    publishableKey,
    secretKey,
  }
}

function prefixedKey(config: Config, name: string, prefix: string): string {
  const key = config.at(`auth.${name}`, '')
  if (key === '' || new RegExp(`^${prefix}[\\w-]{16,}$`).test(key)) return key
  throw config.errorAt(`auth.${name}`, `must be ${prefix} and at least 16 letters, digits, "_" or "-"`)
}

function legacyKey(config: Config, name: string, role: string): string {
  const key = config.at(`auth.${name}`, '')
  if (key === '' || claimsOf(key)?.role === role) return key
  throw config.errorAt(`auth.${name}`, `must be a JWT with the role ${role}`)
}

function claimsOf(jwt: string): Claims | null {
  try {
    return decodeJwt<Claims>(jwt)
  } catch {
    return null
  }
}
