import type { ProviderClaims } from '../Provider.ts'
import { pick, text } from '../pick.ts'

const texts = [
  'iss',
  'name',
  'family_name',
  'given_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'email',
  'phone',
  'full_name',
  'avatar_url',
  'slug',
  'provider_id',
  'user_name',
] as const
const numbers = ['iat', 'exp'] as const

/**
 * The claims of OpenID Connect Core §5.1 as identities store them. Values of a wrong type are left out: only a
 * literal true means that an address is verified.
 */
export function readStandardClaims(source: unknown): ProviderClaims {
  const claims: ProviderClaims = { sub: text(source, 'sub') }
  for (const name of texts) {
    const value = text(source, name)
    if (value !== '') claims[name] = value
  }
  for (const name of numbers) {
    const value = pick(source, name)
    if (typeof value === 'number') claims[name] = value
  }
  const aud = pick(source, 'aud')
  if (aud !== undefined)
    claims.aud = (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === 'string')
  const updated = readMoment(pick(source, 'updated_at'))
  if (updated) claims.updated_at = updated
  claims.email_verified = pick(source, 'email_verified') === true
  claims.phone_verified = pick(source, 'phone_verified') === true
  const custom = pick(source, 'custom_claims')
  if (typeof custom === 'object' && custom !== null && !Array.isArray(custom)) {
    claims.custom_claims = custom as Record<string, unknown>
  }
  return claims
}

/** Converts seconds since 1970 or an RFC 3339 timestamp to ISO 8601. */
function readMoment(value: unknown): string | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const moment = new Date(typeof value === 'number' ? value * 1000 : value)
  return value === '' || Number.isNaN(moment.getTime()) ? null : moment.toISOString()
}
