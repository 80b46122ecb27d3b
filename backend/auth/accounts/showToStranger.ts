import { renderUser, type UserRow } from '../rows/user.ts'
import type { Contact } from './contact.ts'
import { isNobodys } from './freeAddress.ts'

/**
 * What whoever signs up is shown of an account that was there before them, unproved: its id, and for the rest what
 * they said themselves, as if it were new. Hosted shows all of it, another's words and number among it.
 * @param o.began when the request was taken up
 * @returns null where it is somebody's, who is known by something else
 */
export function showToStranger(
  user: UserRow,
  { contact, data, began }: { contact: Contact; data: Record<string, unknown>; began: Date },
): Record<string, unknown> | null {
  const { provider } = contact
  if (!isNobodys(user)) return null
  const { email: _email, phone: _phone, ...said } = data
  const own = {
    ...said,
    sub: user.id,
    ...(provider === 'email' ? { email: contact.email } : {}),
    email_verified: false,
    phone_verified: false,
  }
  const now = began.toISOString()
  const moments = { created_at: now, updated_at: now }
  const identity = user.identities.find((one) => one.provider === provider)
  return renderUser({
    ...user,
    ...moments,
    email: provider === 'email' ? user.email : null,
    phone: provider === 'phone' ? user.phone : null,
    email_change: null,
    phone_change: null,
    invited_at: null,
    raw_app_meta_data: { provider, providers: [provider] },
    raw_user_meta_data: { ...data, ...own },
    identities: identity ? [{ ...identity, ...moments, last_sign_in_at: now, identity_data: own }] : [],
  })
}
