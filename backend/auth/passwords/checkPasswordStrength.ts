import { AuthError, type WeakPasswordReason, invalid } from '../http/AuthError.ts'
import type { PasswordSettings } from '../settings/passwordSettings.ts'
import { isLeakedPassword } from './leakedPasswords.ts'

/** In bytes: bcrypt ignores further ones, and hosted Supabase rejects longer passwords. */
const maxPasswordBytes = 72

/**
 * Throws AuthError 400 validation_failed, 422 weak_password if a new password violates the configured rules.
 */
export async function checkPasswordStrength(
  password: string,
  rules: Omit<PasswordSettings, 'enabled' | 'requireCurrent'>,
): Promise<void> {
  const bytes = Buffer.byteLength(password)
  if (bytes > maxPasswordBytes) {
    throw invalid(`Password cannot be longer than ${maxPasswordBytes} characters`)
  }
  const reasons: WeakPasswordReason[] = []
  const messages: string[] = []
  if (bytes < rules.minimumLength) {
    reasons.push('length')
    messages.push(`Password should be at least ${rules.minimumLength} characters.`)
  }
  if (rules.required.some((set) => ![...password].some((character) => set.includes(character)))) {
    reasons.push('characters')
    messages.push(`Password should contain at least one character of each: ${rules.required.join(', ')}.`)
  }
  if (rules.rejectLeaked && (await isLeakedPassword(password))) {
    reasons.push('pwned')
    messages.push('Password is known to be weak and easy to guess, please choose a different one.')
  }
  if (reasons.length > 0) throw new AuthError(422, 'weak_password', messages.join(' '), { reasons })
}
