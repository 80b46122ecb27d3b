import type { Transaction } from '../Transaction.ts'
import type { IdentityRow } from './user.ts'

/**
 * Inserts an identity of a user. An email address in `data` is stored in lower case, as it is looked up.
 * @param o.providerId the user's id at the provider; for `email` and `phone` the user's own id
 * @param o.data what the provider returns about the user, including `sub`
 */
export async function createIdentity(
  tx: Transaction,
  o: { userId: string; provider: string; providerId: string; data: Record<string, unknown> },
): Promise<IdentityRow> {
  const { email } = o.data
  const data = typeof email === 'string' ? { ...o.data, email: email.toLowerCase() } : o.data
  const { rows } = await tx.query<{ identity: IdentityRow }>({
    name: 'auth_identity_create',
    // Not now(): one transaction may insert several, and their order shows which provider came first.
    text: `insert into auth.identities as i
        (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
      values ($1, $2, $3, $4, now(), clock_timestamp(), clock_timestamp())
      returning to_jsonb(i) as identity`,
    values: [o.providerId, o.userId, JSON.stringify(data), o.provider],
  })
  return rows[0]!.identity
}

/** The user's own email address or phone number, and whether it is confirmed. */
export type IdentityContact =
  | { provider: 'email'; email: string; verified: boolean }
  /** If `phone` is null, the number is left out, as at sign-up. */
  | { provider: 'phone'; phone: string | null; verified: boolean }

/**
 * Inserts the identity `email` or `phone` of a user, with the user's own address or number.
 * @param data the user's metadata; it cannot replace confirmed values
 */
export async function createContactIdentity(
  tx: Transaction,
  userId: string,
  contact: IdentityContact,
  data: Record<string, unknown> = {},
): Promise<IdentityRow> {
  // Hosted Supabase stores both as the user sends them, so anyone can claim an address with a phone
  // sign-up.
  const { email: _email, phone: _phone, ...metadata } = data
  const verifiedFields =
    contact.provider === 'email'
      ? { email: contact.email, email_verified: contact.verified, phone_verified: false }
      : {
          ...(contact.phone === null ? {} : { phone: contact.phone }),
          email_verified: false,
          phone_verified: contact.verified,
        }
  return createIdentity(tx, {
    userId,
    provider: contact.provider,
    providerId: userId,
    data: { ...metadata, sub: userId, ...verifiedFields },
  })
}

/** Inserts the user's own identity if there is none; imported rows may have none. */
export async function ensureContactIdentity(
  tx: Transaction,
  userId: string,
  contact: IdentityContact,
): Promise<void> {
  const text = 'select 1 from auth.identities where user_id = $1 and provider = $2'
  const { rowCount } = await tx.query(text, [userId, contact.provider])
  if (rowCount === 0) await createContactIdentity(tx, userId, contact)
}
