import { createHmac } from 'node:crypto'
import type { AuthContext } from '../AuthContext.ts'
import type { UserRow } from '../rows/user.ts'
import type { Contact } from './contact.ts'
import type { AuthKeys } from '../tokens/keys.ts'

/**
 * The response to a sign-up with a contact that is taken. It equals the response for a new user, so that it
 * reveals nothing. Hosted Supabase leaves out identities and role, which makes these responses recognizable,
 * and reveals all of an unconfirmed account, including another person's metadata and phone number.
 * @param o.existing an unconfirmed account, whose id is used; null for a user who does not exist
 * @param o.beganAt when the request began: the creation time that a new user would have
 */
export async function createDecoyUser(
  ctx: Pick<AuthContext, 'keys' | 'pool'>,
  o: {
    contact: Contact
    data: Record<string, unknown>
    beganAt: Date
    existing: UserRow | null
  },
): Promise<Record<string, unknown>> {
  const { contact, data, beganAt, existing } = o
  const id = existing?.id ?? createDecoyId(ctx.keys, contact, 'user')
  const { email: _email, phone: _phone, ...userMetadata } = data
  const { provider } = contact
  const existingIdentity = existing?.identities.find((one) => one.provider === provider)
  const contactFields = {
    ...(provider === 'email' ? { email: contact.email } : {}),
    email_verified: false,
    phone_verified: false,
  }
  const identity = { ...userMetadata, sub: id, ...contactFields }
  const metadata = Object.fromEntries(
    Object.entries({ ...data, ...identity }).filter(([, value]) => value !== null),
  )
  // PostgreSQL serializes it, since jsonb has its own order of keys.
  const { rows } = await ctx.pool.query('select $1::jsonb as identity, $2::jsonb as metadata', [
    JSON.stringify(identity),
    JSON.stringify(metadata),
  ])
  const [start, now] = [beganAt.toISOString(), new Date().toISOString()]
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
        identity_id: existingIdentity?.id ?? createDecoyId(ctx.keys, contact, 'identity'),
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

/**
 * A UUID in the format of version 4. It is the same for each request, like the id of an unconfirmed account.
 */
function createDecoyId(keys: AuthKeys, contact: Contact, of: string): string {
  const address = contact.provider === 'email' ? contact.email : contact.phone
  const bytes = createHmac('sha256', keys.secret).update(`invented ${of} ${address}`).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
