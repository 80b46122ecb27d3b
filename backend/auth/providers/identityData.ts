import type { ProviderEmail, ProviderUser } from './Provider.ts'
import { validateEmail } from '../accounts/validateEmail.ts'

/**
 * The data of an identity: the claims without empty values, and the primary email address, or else the last
 * one.
 */
export function identityData({ emails, claims }: ProviderUser): Record<string, unknown> {
  const chosen = emails.find((one) => one.primary) ?? emails.at(-1)
  const { email_verified: _emailVerified, phone_verified: phoneVerified, email: _email, ...rest } = claims
  const address = chosen?.email
  const entries = Object.entries({ ...rest, ...(address ? { email: address.toLowerCase() } : {}) }).filter(
    ([, value]) => !isEmpty(value),
  )
  return {
    ...Object.fromEntries(entries),
    // Stored even if false.
    email_verified: chosen?.verified ?? false,
    phone_verified: phoneVerified ?? false,
  }
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true
  return Array.isArray(value) && value.length === 0
}

const isAscii = /^[\x20-\x7e]*$/

/**
 * Removes invalid addresses, and those with other letters than ASCII. They are removed before the conversion to lower case,
 * which maps some of these letters to ASCII (the Kelvin sign to "k"): the verification of one address must not count for
 * another.
 */
export function usableEmails(emails: ProviderEmail[]): ProviderEmail[] {
  return emails.filter(({ email }) => {
    // From Apple, if the application did not request it.
    if (email === '') return true
    try {
      return isAscii.test(email) && validateEmail(email) === email.toLowerCase()
    } catch {
      return false
    }
  })
}
