import type { ProviderUser } from './Provider.ts'

/**
 * What is stored of a person as their provider tells it: the claims without empty ones, and the one address that
 * counts, the primary one or else the last.
 */
export function identityData({ emails, claims }: ProviderUser): Record<string, unknown> {
  const chosen = emails.find((one) => one.primary) ?? emails.at(-1)
  const { email_verified: _said, phone_verified: phoneVerified, email: _email, ...rest } = claims
  const address = chosen?.email
  const kept = Object.entries({ ...rest, ...(address ? { email: address.toLowerCase() } : {}) }).filter(
    ([, value]) => !isEmpty(value),
  )
  return {
    ...Object.fromEntries(kept),
    // Said even where they are not so.
    email_verified: chosen?.verified ?? false,
    phone_verified: phoneVerified ?? false,
  }
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true
  return Array.isArray(value) && value.length === 0
}
