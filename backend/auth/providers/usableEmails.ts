import { validateEmail } from '../accounts/validateEmail.ts'
import type { ProviderEmail } from './Provider.ts'

/**
 * Removes invalid addresses. They are removed before the conversion to lower case, which maps some other
 * letters to ASCII (the Kelvin sign to "k"): the verification of one address must not count for another.
 */
export function usableEmails(emails: ProviderEmail[]): ProviderEmail[] {
  return emails.filter(({ email }) => {
    // From Apple, if the application did not request it.
    if (email === '') return true
    try {
      return validateEmail(email) === email.toLowerCase()
    } catch {
      return false
    }
  })
}
