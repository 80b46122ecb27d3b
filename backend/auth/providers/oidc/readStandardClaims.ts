import type { ProviderClaims } from '../Provider.ts'
import { valueAt, textAt } from '../readFields.ts'

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
  const claims: ProviderClaims = { sub: textAt(source, 'sub') }
  for (const name of texts) {
    const value = textAt(source, name)
    if (value !== '') claims[name] = value
  }
  for (const name of numbers) {
    const value = valueAt(source, name)
    if (typeof value === 'number') claims[name] = value
  }
  const aud = valueAt(source, 'aud')
  if (aud !== undefined)
    claims.aud = (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === 'string')
  const updated = readTimestamp(valueAt(source, 'updated_at'))
  if (updated) claims.updated_at = updated
  claims.email_verified = valueAt(source, 'email_verified') === true
  claims.phone_verified = valueAt(source, 'phone_verified') === true
  const custom = valueAt(source, 'custom_claims')
  if (typeof custom === 'object' && custom !== null && !Array.isArray(custom)) {
    claims.custom_claims = custom as Record<string, unknown>
  }
  return claims
}

/** Converts seconds since 1970 or an RFC 3339 timestamp to ISO 8601. */
function readTimestamp(value: unknown): string | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const date = new Date(typeof value === 'number' ? value * 1000 : value)
  return value === '' || Number.isNaN(date.getTime()) ? null : date.toISOString()
}
