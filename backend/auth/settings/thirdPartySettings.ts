import type { SettingsReader } from './createSettingsReader.ts'

/** A third-party issuer whose tokens are accepted. */
export interface TrustedIssuer {
  /** `iss` of its tokens, without a trailing slash; also the base of its discovery document. */
  url: string
  /** The required `aud` of its tokens; null if any is accepted. */
  audience: string | null
}

const clerkDomain = /^(clerk(\.[a-z0-9-]+){2,}|([a-z0-9-]+\.)+clerk\.accounts\.dev)$/
const label = /^[A-Za-z0-9_-]+$/

type Read = (section: string, key: string, pattern?: RegExp) => string

/** The issuer of each service, as the official CLI derives it from its settings. */
const services: Record<string, (value: Read, optional: Read) => TrustedIssuer> = {
  firebase(value) {
    const project = value('firebase', 'project_id', label)
    // All Google projects sign with the same keys: only issuer and audience distinguish them.
    return { url: `https://securetoken.google.com/${project}`, audience: project }
  },
  auth0(value, optional) {
    const tenant = value('auth0', 'tenant', label)
    const region = optional('auth0', 'tenant_region', label)
    return { url: `https://${tenant}.${region === '' ? '' : `${region}.`}auth0.com`, audience: null }
  },
  aws_cognito(value) {
    const pool = value('aws_cognito', 'user_pool_id', label)
    const region = value('aws_cognito', 'user_pool_region', label)
    return { url: `https://cognito-idp.${region}.amazonaws.com/${pool}`, audience: null }
  },
  clerk: (value) => ({ url: `https://${value('clerk', 'domain', clerkDomain)}`, audience: null }),
  workos: (value) => ({
    url: value('workos', 'issuer_url', /^https?:\/\/\S+$/).replace(/\/+$/, ''),
    audience: null,
  }),
}

/**
 * Reads `[auth.third_party.*]`; null if none is enabled.
 * @throws ConfigError if more than one is enabled, or a value is missing or invalid
 */
export function readThirdPartySettings(read: SettingsReader): TrustedIssuer | null {
  const optional: Read = (section, key, pattern) => {
    const path = `auth.third_party.${section}.${key}`
    const value = read.at(path, '')
    if (value !== '' && pattern && !pattern.test(value)) {
      throw read.errorAt(path, `can't be "${value}": copy it from the settings of that service`)
    }
    return value
  }
  const value: Read = (section, key, pattern) => {
    const found = optional(section, key, pattern)
    if (found === '') throw read.errorAt(`auth.third_party.${section}`, `is enabled but has no ${key}`)
    return found
  }
  const enabled = Object.keys(services).filter((name) => read.at(`auth.third_party.${name}.enabled`, false))
  if (enabled.length > 1) {
    throw read.errorAt(
      `auth.third_party.${enabled[1]}.enabled`,
      `can't be true: only one service may be enabled at a time, not ${enabled.join(' and ')}`,
    )
  }
  return enabled[0] === undefined ? null : services[enabled[0]]!(value, optional)
}
