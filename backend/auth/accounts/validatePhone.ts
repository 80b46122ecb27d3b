import { AuthError } from '../http/AuthError.ts'

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
