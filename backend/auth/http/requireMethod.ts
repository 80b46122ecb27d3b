import type { AuthSettings } from '../settings/authSettings.ts'
import { AuthError } from './AuthError.ts'

/** Throws AuthError unless the server sends links and codes by mail. */
export function requireMailedCodes(settings: AuthSettings, status: 400 | 422 = 422): void {
  if (settings.email.enabled && settings.email.sendsCodes) return
  throw new AuthError(status, 'email_provider_disabled', 'Email logins are disabled')
}

/** Throws AuthError 422 unless people can sign in with passwords. */
export function requirePasswords(settings: AuthSettings): void {
  if (settings.password.enabled) return
  throw new AuthError(422, 'email_provider_disabled', 'Passwords are disabled')
}
