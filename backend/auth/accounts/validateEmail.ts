import { invalid } from '../http/AuthError.ts'

/** The format that HTML's email fields accept (WHATWG HTML, "valid e-mail address"). */
const emailPattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** Returns the address in lower case. Throws AuthError 400 if it is invalid. */
export function validateEmail(email: string): string {
  if (email === '') throw invalid('An email address is required')
  if (email.length > 255) throw invalid('An email address is too long')
  if (!emailPattern.test(email)) throw invalid('Unable to validate email address: invalid format')
  return email.toLowerCase()
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
