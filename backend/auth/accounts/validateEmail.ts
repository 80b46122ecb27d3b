import { AuthError } from '../http/AuthError.ts'

/** The format that HTML's email fields accept (WHATWG HTML, "valid e-mail address"). */
const emailPattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** Returns the address in lower case. Throws AuthError 400 if it is invalid. */
export function validateEmail(email: string): string {
  const refuse = (message: string): AuthError => new AuthError(400, 'validation_failed', message)
  if (email === '') throw refuse('An email address is required')
  if (email.length > 255) throw refuse('An email address is too long')
  if (!emailPattern.test(email)) throw refuse('Unable to validate email address: invalid format')
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
  throw new AuthError(400, 'validation_failed', 'Invalid phone number format (E.164 required)')
}
