import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { findUserByPhone, findUserOfAddress } from '../rows/findUser.ts'
import type { UserRow } from '../rows/user.ts'
import type { TextChannel } from '../sms/TextService.ts'

/** By what a person is reached: an address in lower case, or a number as validatePhone gives it. */
export type Contact =
  | { provider: 'email'; email: string }
  | { provider: 'phone'; phone: string; channel: TextChannel }

/** Whoever has this contact, proved or not. */
export function findContact(client: pg.Client, contact: Contact): Promise<UserRow | null> {
  return contact.provider === 'email'
    ? findUserOfAddress(client, contact.email)
    : findUserByPhone(client, contact.phone)
}

/** Whether this person has proved to be reached by a contact of this kind. */
export function isProved(user: UserRow, provider: Contact['provider']): boolean {
  return (provider === 'email' ? user.email_confirmed_at : user.phone_confirmed_at) !== null
}

/** Whether such contacts count as proved when an account is made. */
export function needsNoProof(ctx: AuthContext, provider: Contact['provider']): boolean {
  return (provider === 'email' ? ctx.settings.email : ctx.settings.sms).autoconfirm
}
