import type { SettingsReader } from './createSettingsReader.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'

/** One of `[auth.external.*]`. */
export interface ProviderSettings {
  enabled: boolean
  /** The first one is sent to the provider; ID tokens may be issued for any of them. */
  clientIds: string[]
  secret: string
  /** Where the provider redirects to; empty for this service's own /callback. */
  redirectUri: string
  /** The URL of a self-hosted instance, tenant or realm, instead of the provider's default. */
  url: string
  skipNonceCheck: boolean
  emailOptional: boolean
}

/** The providers that config.toml can configure. */
export const providerNames = [
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'figma',
  'fly',
  'github',
  'gitlab',
  'google',
  'kakao',
  'keycloak',
  'linkedin',
  'linkedin_oidc',
  'notion',
  'slack',
  'slack_oidc',
  'snapchat',
  'spotify',
  'twitch',
  'twitter',
  'vercel_marketplace',
  'workos',
  'x',
  'zoom',
] as const
export type ProviderName = (typeof providerNames)[number]

export interface ExternalSettings {
  providers: Record<ProviderName, ProviderSettings>
  /** Whether users may link and unlink identities themselves. */
  manualLinking: boolean
}

/** Providers whose applications may sign in with ID tokens only, for which no secret is needed. */
const withoutSecret: ReadonlySet<ProviderName> = new Set(['apple', 'google'])

/**
 * Reads `[auth.external.*]` and enable_manual_linking. Throws ConfigError if an enabled provider lacks a
 * required value.
 */
export function readProviderSettings(read: SettingsReader): ExternalSettings {
  const entries = providerNames.map((name) => [name, readOne(read, name)] as const)
  return {
    providers: Object.fromEntries(entries) as ExternalSettings['providers'],
    manualLinking: read.at('auth.enable_manual_linking', false),
  }
}

function readOne(read: SettingsReader, name: ProviderName): ProviderSettings {
  const path = `auth.external.${name}`
  const settings = {
    enabled: read.at(`${path}.enabled`, false),
    clientIds: read
      .at(`${path}.client_id`, '')
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== ''),
    secret: read.at(`${path}.secret`, ''),
    redirectUri: read.at(`${path}.redirect_uri`, ''),
    url: read.at(`${path}.url`, '').replace(/\/$/, ''),
    skipNonceCheck: read.at(`${path}.skip_nonce_check`, false),
    emailOptional: read.at(`${path}.email_optional`, false),
  }
  if (!settings.enabled) return settings
  if (settings.clientIds.length === 0) throw read.errorAt(path, 'is enabled and needs client_id')
  if (settings.secret === '' && !withoutSecret.has(name))
    throw read.errorAt(path, 'is enabled and needs secret')
  for (const key of ['url', 'redirectUri'] as const) {
    if (settings[key] !== '' && !isHttpUrl(settings[key])) {
      const keyName = key === 'url' ? 'url' : 'redirect_uri'
      throw read.errorAt(`${path}.${keyName}`, 'must be an address such as "https://id.example.com"')
    }
  }
  if (name === 'keycloak' && settings.url === '') {
    throw read.errorAt(path, 'needs url, such as "https://id.example.com/realms/staff"')
  }
  return settings
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(parseUrl(text)?.protocol ?? '')
}
