import { createHmac } from 'node:crypto'
import type { AuthContext } from '../AuthContext.ts'
import type { UserRow } from '../rows/user.ts'
import type { Contact } from './contact.ts'

/**
 * What whoever signs up is shown of a contact that is taken: word for word what somebody new is shown, so that they
 * learn nothing. Hosted leaves the identities and the role out, by which its made-up users are known, and shows all of
 * an account that nobody proved, another's data and number among it.
 * @param o.existing an unproved account, which keeps its id; null for a user who does not exist
 * @param o.began when the request was taken up: the moment of whatever its transaction would have made
 */
export async function inventUser(
  ctx: AuthContext,
  o: {
    contact: Contact
    data: Record<string, unknown>
    began: Date
    existing: UserRow | null
  },
): Promise<Record<string, unknown>> {
  const { contact, data, began, existing } = o
  const id = existing?.id ?? inventId(ctx, contact, 'user')
  const { email: _email, phone: _phone, ...said } = data
  const { provider } = contact
  const held = existing?.identities.find((one) => one.provider === provider)
  const own = {
    ...(provider === 'email' ? { email: contact.email } : {}),
    email_verified: false,
    phone_verified: false,
  }
  const identity = { ...said, sub: id, ...own }
  const metadata = Object.fromEntries(
    Object.entries({ ...data, ...identity }).filter(([, value]) => value !== null),
  )
  // Asked of the database, which keeps the names of an object in an order of its own.
  const { rows } = await ctx.pool.query('select $1::jsonb as identity, $2::jsonb as metadata', [
    JSON.stringify(identity),
    JSON.stringify(metadata),
  ])
  const [start, now] = [began.toISOString(), new Date().toISOString()]
  return {
    id,
    aud: 'authenticated',
    role: 'authenticated',
    email: provider === 'email' ? contact.email : '',
    phone: provider === 'phone' ? contact.phone : '',
    confirmation_sent_at: start,
    app_metadata: { provider, providers: [provider] },
    user_metadata: rows[0]!.metadata,
    identities: [
      {
        identity_id: held?.id ?? inventId(ctx, contact, 'identity'),
        id,
        user_id: id,
        identity_data: rows[0]!.identity,
        provider,
        last_sign_in_at: start,
        created_at: now,
        updated_at: now,
        ...(provider === 'email' ? { email: contact.email } : {}),
      },
    ],
    created_at: start,
    updated_at: start,
    is_anonymous: false,
  }
}

/** A UUID of version 4 by its looks; the same whenever it is asked for, as that of an unproved account is. */
function inventId(ctx: AuthContext, contact: Contact, of: string): string {
  const whom = contact.provider === 'email' ? contact.email : contact.phone
  const bytes = createHmac('sha256', ctx.keys.secret)
    .update(`invented ${of} ${whom}`)
    .digest()
    .subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
