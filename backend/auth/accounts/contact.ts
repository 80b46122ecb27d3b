import { type Queryable, findUserByPhone, findOwnerOfEmail } from '../rows/findUser.ts'
import type { UserRow } from '../rows/user.ts'
import type { SmsChannel } from '../sms/SmsProvider.ts'
import type { AuthSettings } from '../settings/authSettings.ts'

/** How a user is reached: an email address in lower case, or a phone number in the format of validatePhone. */
export type Contact =
  | { provider: 'email'; email: string }
  | { provider: 'phone'; phone: string; channel: SmsChannel }

/** The user who has this contact, confirmed or not. */
export function findUserByContact(db: Queryable, contact: Contact): Promise<UserRow | null> {
  return contact.provider === 'email'
    ? findOwnerOfEmail(db, contact.email)
    : findUserByPhone(db, contact.phone)
}

/** Whether the user has confirmed a contact of this kind. */
export function isContactConfirmed(user: UserRow, provider: Contact['provider']): boolean {
  return (provider === 'email' ? user.email_confirmed_at : user.phone_confirmed_at) !== null
}

/**
 * Whether an account with this contact can sign in. Where no codes are sent by mail, nobody can confirm an address: an account
 * that is in use can sign in without.
 */
export function maySignIn(settings: AuthSettings, user: UserRow, provider: Contact['provider']): boolean {
  return (
    isContactConfirmed(user, provider) ||
    (provider === 'email' && !settings.email.sendsCodes && user.last_sign_in_at !== null)
  )
}

/** Whether new accounts with contacts of this kind can sign in at once. */
export function startsSignedIn(settings: AuthSettings, provider: Contact['provider']): boolean {
  return isAutoconfirmed(settings, provider) || (provider === 'email' && !settings.email.sendsCodes)
}

/** Whether contacts of this kind are confirmed automatically at sign-up. */
export function isAutoconfirmed(settings: AuthSettings, provider: Contact['provider']): boolean {
  return (provider === 'email' ? settings.email : settings.sms).autoconfirm
}
