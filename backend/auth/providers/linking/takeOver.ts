import type pg from 'pg'
import { clearTokens, refreshProviders } from '../../rows/updateUser.ts'

/**
 * An account whose address nobody had proved, and now somebody does, by a provider: whatever a stranger may have put
 * into it beforehand goes. Upstream takes password and other identities away; a session, a second factor or a
 * telephone number would be as good a door.
 * @param keep the identity that proves the address
 */
export async function takeOver(
  client: pg.Client,
  userId: string,
  keep: { id: string; data: Record<string, unknown> },
): Promise<void> {
  await client.query(
    `update auth.users set encrypted_password = null, raw_user_meta_data = $2, is_anonymous = false,
       phone = null, phone_confirmed_at = null, phone_change = '', phone_change_token = '',
       email_change = '', email_change_token_new = '', email_change_token_current = '', updated_at = now()
     where id = $1`,
    [userId, JSON.stringify(keep.data)],
  )
  await client.query('delete from auth.identities where user_id = $1 and id <> $2', [userId, keep.id])
  // A client that the stranger has let in would be let in by the owner's next look at it, unasked.
  await client.query('delete from auth.oauth_authorizations where user_id = $1', [userId])
  await client.query('delete from auth.oauth_consents where user_id = $1', [userId])
  await client.query('delete from auth.flow_state where user_id = $1', [userId])
  await client.query('delete from auth.sessions where user_id = $1', [userId])
  await client.query('delete from auth.mfa_factors where user_id = $1', [userId])
  await client.query('delete from auth.webauthn_credentials where user_id = $1', [userId])
  await clearTokens(client, userId)
  await refreshProviders(client, userId)
}
