import type { Transaction } from '../Transaction.ts'
import { randomUUID } from 'node:crypto'
import type { UserRow } from './user.ts'
import { findUserById } from './findUser.ts'

/** A user to insert. Email addresses are in lower case, phone numbers without plus. */
export interface NewUser {
  id: string
  email: string | null
  phone: string | null
  passwordHash: string
  userMetadata: Record<string, unknown>
  appMetadata: Record<string, unknown>
  role: string
  anonymous: boolean
}

/**
 * The values of a new user, as hosted Supabase sets them. A user without email address, phone number and
 * provider is anonymous.
 * @param o.provider how the user signs up; by default `email` or `phone`
 */
export function buildNewUser(o: {
  id?: string
  email?: string | null
  phone?: string | null
  provider?: string
  passwordHash?: string
  data?: Record<string, unknown>
}): NewUser {
  const provider = o.provider ?? (o.email ? 'email' : o.phone ? 'phone' : null)
  return {
    id: o.id ?? randomUUID(),
    email: o.email || null,
    phone: o.phone || null,
    passwordHash: o.passwordHash ?? '',
    userMetadata: o.data ?? {},
    appMetadata: provider === null ? {} : { provider, providers: [provider] },
    role: 'authenticated',
    anonymous: provider === null,
  }
}

/** A user who is not stored yet, in the format that hooks receive. */
export function renderNewUser(user: NewUser): Record<string, unknown> {
  const never = '0001-01-01T00:00:00Z'
  return {
    id: user.id,
    aud: 'authenticated',
    role: '',
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata: user.appMetadata,
    user_metadata: user.userMetadata,
    identities: [],
    created_at: never,
    updated_at: never,
    is_anonymous: user.anonymous,
  }
}

/** Inserts the row and reads it back, since a trigger may have changed it. */
export async function createUser(tx: Transaction, user: NewUser): Promise<UserRow> {
  await tx.query({
    name: 'auth_user_create',
    text: `insert into auth.users (
        instance_id, id, aud, role, email, phone, encrypted_password, confirmation_token, recovery_token,
        email_change_token_new, email_change, raw_app_meta_data, raw_user_meta_data, is_anonymous,
        created_at, updated_at)
      values ('00000000-0000-0000-0000-000000000000', $1, 'authenticated', $2, $3, $4, $5, '', '', '', '',
        $6, $7, $8, now(), now())`,
    values: [
      user.id,
      user.role,
      user.email,
      user.phone,
      user.passwordHash,
      JSON.stringify(user.appMetadata),
      JSON.stringify(user.userMetadata),
      user.anonymous,
    ],
  })
  return (await findUserById(tx, user.id))!
}
