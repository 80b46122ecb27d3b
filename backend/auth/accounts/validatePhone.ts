import { AuthError } from '../http/AuthError.ts'

/** A number without its plus and its spaces, as it is stored and looked for. */
export function plainPhone(phone: string): string {
  return phone.replace(/^\+/, '').replaceAll(' ', '')
}

/** The number as plain digits (ITU-T E.164). Throws AuthError 400 where it is none. */
export function validatePhone(phone: string): string {
  const plain = plainPhone(phone)
  if (/^[1-9][0-9]{1,14}$/.test(plain)) return plain
  throw new AuthError(400, 'validation_failed', 'Invalid phone number format (E.164 required)')
}
