import { readStandardClaims } from '../oidc/readStandardClaims.ts'
import type { ProviderClaims } from '../Provider.ts'

/**
 * Claims after the mapping of a custom provider: a text names the claim that a field is read from, anything else is
 * the value itself. What the standard has no claim for is read from the answer as it came, where upstream looks at
 * standard claims alone and could not take an `id` for who someone is. Whether an address was proved stays the
 * provider's word.
 */
export function mapClaims(
  claims: ProviderClaims,
  mapping: Record<string, unknown>,
  answer: unknown,
): ProviderClaims {
  const entries = Object.entries(mapping)
  if (entries.length === 0) return claims
  const said = { ...(typeof answer === 'object' ? answer : {}), ...claims } as Record<string, unknown>
  const next: Record<string, unknown> = { ...claims }
  for (const [field, from] of entries) {
    if (typeof from !== 'string') next[field] = from
    else if (Object.hasOwn(said, from) && said[from] !== '') next[field] = asText(said[from])
  }
  const mapped = readStandardClaims(next)
  // An address that came from another claim is not the one that the provider vouches for.
  const sameEmail = mapped.email === claims.email
  return {
    ...mapped,
    sub: mapped.sub || claims.sub,
    email_verified: sameEmail && claims.email_verified === true,
    phone_verified: claims.phone_verified === true,
  }
}

/** Many write who someone is as a number. */
function asText(value: unknown): unknown {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
}
