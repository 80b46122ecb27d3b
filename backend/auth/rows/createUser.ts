import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { UserRow } from './user.ts'
import { findUserById } from './findUser.ts'

/** Who is to be made. Addresses are in lower case already. */
export interface NewUser {
  id: string
  email: string | null
  passwordHash: string
  userMetadata: Record<string, unknown>
  appMetadata: Record<string, unknown>
  role: string
  anonymous: boolean
}

/** A new account with an address, as hosted describes one. */
export function newEmailUser(o: {
  email: string
  passwordHash: string
  data: Record<string, unknown>
}): NewUser {
  return {
    id: randomUUID(),
    email: o.email,
    passwordHash: o.passwordHash,
    userMetadata: o.data,
    appMetadata: { provider: 'email', providers: ['email'] },
    role: 'authenticated',
    anonymous: false,
  }
}

/** A user that does not exist yet, in the form that hooks are shown. */
export function previewUser(user: NewUser): Record<string, unknown> {
  const never = '0001-01-01T00:00:00Z'
  return {
    id: user.id,
    aud: 'authenticated',
    role: '',
    email: user.email ?? '',
    phone: '',
    app_metadata: user.appMetadata,
    user_metadata: user.userMetadata,
    identities: [],
    created_at: never,
    updated_at: never,
    is_anonymous: user.anonymous,
  }
}

/** Inserts the row and reads it back, as a trigger may have changed it. */
export async function createUser(client: pg.Client, user: NewUser): Promise<UserRow> {
  await client.query({
    name: 'auth_user_create',
    text: `insert into auth.users (
        instance_id, id, aud, role, email, encrypted_password, confirmation_token, recovery_token,
        email_change_token_new, email_change, raw_app_meta_data, raw_user_meta_data, is_anonymous,
        created_at, updated_at)
      values ('00000000-0000-0000-0000-000000000000', $1, 'authenticated', $2, $3, $4, '', '', '', '',
        $5, $6, $7, now(), now())`,
    values: [
      user.id,
      user.role,
      user.email,
      user.passwordHash,
      JSON.stringify(user.appMetadata),
      JSON.stringify(user.userMetadata),
      user.anonymous,
    ],
  })
  return (await findUserById(client, user.id))!
}

/** The identity `email` of a user: what the address is, and whether it was proved. */
export async function createEmailIdentity(
  client: pg.Client,
  userId: string,
  o: { email: string; verified: boolean; data?: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  const data = {
    ...o.data,
    sub: userId,
    email: o.email.toLowerCase(),
    email_verified: o.verified,
    phone_verified: false,
  }
  await client.query({
    name: 'auth_identity_create',
    text: `insert into auth.identities
        (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
      values ($1::text, $1::uuid, $2, 'email', now(), now(), now())`,
    values: [userId, JSON.stringify(data)],
  })
  return data
}
