import { validateEmail } from '../accounts/validateEmail.ts'
import type { ProviderEmail } from './Provider.ts'

/**
 * The addresses that are some. Others are left out before they are put into lower case: letters of other scripts can
 * become ASCII by that (the sign of Kelvin a "k"), and so the proof of one address that of another.
 */
export function usableEmails(emails: ProviderEmail[]): ProviderEmail[] {
  return emails.filter(({ email }) => {
    // Apple's, where the application did not ask for one.
    if (email === '') return true
    try {
      return validateEmail(email) === email.toLowerCase()
    } catch {
      return false
    }
  })
}
