import { normalizeEmailAddress } from '../../../wire/emailAddress.ts'
import { invalid } from '../http/AuthError.ts'

/**
 * Returns the address as it is stored: in lower case, with the domain in ASCII. Hosts without a dot are accepted, as Supabase
 * Auth does. Throws AuthError 400 if it is invalid.
 */
export function validateEmail(email: string): string {
  if (email === '') throw invalid('An email address is required')
  if (email.length > 255) throw invalid('An email address is too long')
  // Blanks around it are no part of an address.
  const address = email === email.trim() ? normalizeEmailAddress(email) : null
  if (address === null) throw invalid('Unable to validate email address: invalid format')
  return address
}

/** A number without plus and spaces, as it is stored. */
export function normalizePhone(phone: string): string {
  return phone.replace(/^\+/, '').replaceAll(' ', '')
}

/** Returns the number as digits (ITU-T E.164). Throws AuthError 400 if it is invalid. */
export function validatePhone(phone: string): string {
  const digits = normalizePhone(phone)
  if (/^[1-9][0-9]{1,14}$/.test(digits)) return digits
  throw invalid('Invalid phone number format (E.164 required)')
}
