import type pg from 'pg'
import type { IdentityRow } from './user.ts'

/**
 * A way in which the user is known. An address in `data` is stored in lower case, as it is looked for.
 * @param o.providerId who the user is at the provider; for `email` and `phone` the user's own id
 * @param o.data what the provider says of the user, `sub` among it
 */
export async function createIdentity(
  client: pg.Client,
  o: { userId: string; provider: string; providerId: string; data: Record<string, unknown> },
): Promise<IdentityRow> {
  const { email } = o.data
  const data = typeof email === 'string' ? { ...o.data, email: email.toLowerCase() } : o.data
  const { rows } = await client.query<{ identity: IdentityRow }>({
    name: 'auth_identity_create',
    // Each moment its own, though one transaction makes several: their order says which provider came first.
    text: `insert into auth.identities as i
        (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
      values ($1, $2, $3, $4, now(), clock_timestamp(), clock_timestamp())
      returning to_jsonb(i) as identity`,
    values: [o.providerId, o.userId, JSON.stringify(data), o.provider],
  })
  return rows[0]!.identity
}

/** What an own address or number says of its user. */
export type OwnContact =
  | { provider: 'email'; email: string; verified: boolean }
  /** `phone` null leaves the number out, as signing up does. */
  | { provider: 'phone'; phone: string | null; verified: boolean }

/**
 * The identity `email` or `phone` of a user: their own address or number, and whether it was proved.
 * @param data what the person says of themselves; it can't stand for what was proved
 */
export async function createOwnIdentity(
  client: pg.Client,
  userId: string,
  contact: OwnContact,
  data: Record<string, unknown> = {},
): Promise<IdentityRow> {
  // Hosted takes these two over from what anyone may write, and so lets a stranger hold an address by a number.
  const { email: _email, phone: _phone, ...said } = data
  const own =
    contact.provider === 'email'
      ? { email: contact.email, email_verified: contact.verified, phone_verified: false }
      : {
          ...(contact.phone === null ? {} : { phone: contact.phone }),
          email_verified: false,
          phone_verified: contact.verified,
        }
  return createIdentity(client, {
    userId,
    provider: contact.provider,
    providerId: userId,
    data: { ...said, sub: userId, ...own },
  })
}

/** Makes the user's own identity where they have none, as rows that were brought from elsewhere may. */
export async function ensureOwnIdentity(
  client: pg.Client,
  userId: string,
  contact: OwnContact,
): Promise<void> {
  const text = 'select 1 from auth.identities where user_id = $1 and provider = $2'
  const { rowCount } = await client.query(text, [userId, contact.provider])
  if (rowCount === 0) await createOwnIdentity(client, userId, contact)
}
