import type { Transaction } from '../Transaction.ts'
import type { UserRow } from './user.ts'
import { createContactIdentity, type IdentityContact } from './createIdentity.ts'

/** Merges metadata: keys with null are removed, others are set, the rest stays. */
function mergeMetadata(
  current: Record<string, unknown> | null,
  updates: Record<string, unknown>,
): Record<string, unknown> {
  const next = { ...current, ...updates }
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== null))
}

/** Merges into the user metadata, in the row and in `user`. */
export async function mergeUserMetadata(
  tx: Transaction,
  user: UserRow,
  updates: Record<string, unknown>,
): Promise<void> {
  user.raw_user_meta_data = mergeMetadata(user.raw_user_meta_data, updates)
  await tx.query('update auth.users set raw_user_meta_data = $2, updated_at = now() where id = $1', [
    user.id,
    JSON.stringify(user.raw_user_meta_data),
  ])
}

/** Merges into the app metadata, which only administrators write. */
export async function mergeAppMetadata(
  tx: Transaction,
  user: UserRow,
  updates: Record<string, unknown>,
): Promise<void> {
  user.raw_app_meta_data = mergeMetadata(user.raw_app_meta_data, updates)
  await tx.query('update auth.users set raw_app_meta_data = $2, updated_at = now() where id = $1', [
    user.id,
    JSON.stringify(user.raw_app_meta_data),
  ])
}

/** Confirms the email address and revokes all pending codes. */
export async function confirmEmail(tx: Transaction, user: UserRow): Promise<void> {
  await tx.query(
    `update auth.users set confirmation_token = '', email_confirmed_at = now(), updated_at = now()
     where id = $1`,
    [user.id],
  )
  await mergeUserMetadata(tx, user, { email_verified: true })
  await deleteOneTimeTokens(tx, user.id)
}

/** Confirms the phone number and revokes all pending codes. */
export async function confirmPhone(tx: Transaction, userId: string): Promise<void> {
  await tx.query(
    `update auth.users set confirmation_token = '', phone_confirmed_at = now(), updated_at = now()
     where id = $1`,
    [userId],
  )
  await deleteOneTimeTokens(tx, userId)
}

/** Marks the identity of the user's own email address as verified. */
export async function markEmailIdentityVerified(
  tx: Transaction,
  userId: string,
  email: string,
): Promise<void> {
  await tx.query(
    `update auth.identities
     set identity_data = identity_data || '{"email_verified": true}', updated_at = now()
     where user_id = $1 and email = $2`,
    [userId, email],
  )
}

/**
 * Sets the address or number of the user's own identity, which is inserted if there is none.
 * @returns whether it was inserted
 */
export async function setContactIdentity(
  tx: Transaction,
  userId: string,
  contact: IdentityContact,
): Promise<boolean> {
  const value = contact.provider === 'email' ? contact.email.toLowerCase() : contact.phone
  const { rowCount } = await tx.query(
    `update auth.identities set updated_at = now(), identity_data = identity_data
       || jsonb_build_object(provider, $3::text, provider || '_verified', $4::boolean)
     where user_id = $1 and provider = $2`,
    [userId, contact.provider, value, contact.verified],
  )
  if (rowCount === 0) await createContactIdentity(tx, userId, contact)
  return rowCount === 0
}

/** Stores the names of the user's providers in the app metadata. */
export async function storeProviderNames(tx: Transaction, userId: string): Promise<void> {
  await tx.query(
    `update auth.users u set raw_app_meta_data = coalesce(u.raw_app_meta_data, '{}')
         || jsonb_build_object('providers', p.all)
         || case when p.first is null then '{}' else jsonb_build_object('provider', p.first) end
     from (
       select coalesce(jsonb_agg(provider order by since), '[]') as all,
              (array_agg(provider order by since))[1] as first
       from (select provider, min(created_at) as since from auth.identities where user_id = $1
             group by provider) known
     ) p
     where u.id = $1`,
    [userId],
  )
}

/** Revokes all pending links and codes of the user. */
export async function deleteOneTimeTokens(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from auth.one_time_tokens where user_id = $1', [userId])
}

/**
 * Stores a new password hash, and revokes what was created with the old password: links, codes, and all
 * sessions except `exceptSession`.
 */
export async function setPassword(
  tx: Transaction,
  userId: string,
  hash: string,
  exceptSession: string | null,
): Promise<void> {
  await tx.query(
    `update auth.users set encrypted_password = $2, confirmation_token = '', confirmation_sent_at = null,
       recovery_token = '', recovery_sent_at = null, email_change_token_current = '',
       email_change_token_new = '', email_change_sent_at = null, phone_change_token = '',
       phone_change_sent_at = null, reauthentication_token = '', reauthentication_sent_at = null,
       updated_at = now()
     where id = $1`,
    [userId, hash],
  )
  await deleteOneTimeTokens(tx, userId)
  await tx.query('delete from auth.sessions where user_id = $1 and id is distinct from $2::uuid', [
    userId,
    exceptSession,
  ])
}

/**
 * Ends all sessions of a user, and removes the passkeys and the consents to applications. A consent of somebody else would authorize an
 * OAuth client without the consent of the owner.
 */
export async function removeAccess(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from auth.sessions where user_id = $1', [userId])
  await tx.query('delete from auth.webauthn_credentials where user_id = $1', [userId])
  await tx.query('delete from auth.oauth_authorizations where user_id = $1', [userId])
  await tx.query('delete from auth.oauth_consents where user_id = $1', [userId])
}

/** Bans a user until this time; null ends a ban. */
export async function setBan(tx: Transaction, userId: string, until: Date | null): Promise<void> {
  await tx.query('update auth.users set banned_until = $2, updated_at = now() where id = $1', [userId, until])
}
