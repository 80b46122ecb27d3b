import { readStandardClaims } from '../oidc/readStandardClaims.ts'
import type { ProviderClaims } from '../Provider.ts'

/**
 * Applies the attribute mapping of a custom provider: a string is the name of the claim to read a field from,
 * anything else is the value itself. Claims outside of the standard are read from the raw response; GoTrue
 * reads standard claims only, so an `id` could not become `sub`. Whether an email address is verified is never
 * mapped.
 */
export function mapClaims(
  claims: ProviderClaims,
  mapping: Record<string, unknown>,
  response: unknown,
): ProviderClaims {
  const entries = Object.entries(mapping)
  if (entries.length === 0) return claims
  const available = { ...(typeof response === 'object' ? response : {}), ...claims } as Record<
    string,
    unknown
  >
  const next: Record<string, unknown> = { ...claims }
  for (const [field, from] of entries) {
    if (typeof from !== 'string') next[field] = from
    else if (Object.hasOwn(available, from) && available[from] !== '')
      next[field] = numberToString(available[from])
  }
  const mapped = readStandardClaims(next)
  // An address from another claim is not the one that the provider verified.
  const sameEmail = mapped.email === claims.email
  return {
    ...mapped,
    sub: mapped.sub || claims.sub,
    email_verified: sameEmail && claims.email_verified === true,
    phone_verified: claims.phone_verified === true,
  }
}

/** Many providers have numeric user ids. */
function numberToString(value: unknown): unknown {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
}
