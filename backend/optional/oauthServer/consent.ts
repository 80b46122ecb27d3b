import type { Transaction } from '../../auth/Transaction.ts'
import type { Queryable } from '../../auth/rows/findUser.ts'
import { renderConsentClient, toClient, type ClientRow } from './oauthClient.ts'
import { parseScopes } from './scopes.ts'

/** Whether the user has already granted the client all requested scopes. */
export async function hasConsented(
  tx: Transaction,
  o: { userId: string; clientId: string; scope: string },
): Promise<boolean> {
  const { rows } = await tx.query<{ scopes: string }>(
    `select scopes from auth.oauth_consents
     where user_id = $1 and client_id = $2 and revoked_at is null`,
    [o.userId, o.clientId],
  )
  if (!rows[0]) return false
  const granted = parseScopes(rows[0].scopes)
  return parseScopes(o.scope).every((scope) => granted.includes(scope))
}

/** Stores the user's consent, which replaces an earlier one. */
export async function storeConsent(
  tx: Transaction,
  o: { userId: string; clientId: string; scope: string },
): Promise<void> {
  await tx.query(
    `insert into auth.oauth_consents (id, user_id, client_id, scopes, granted_at)
     values (gen_random_uuid(), $1, $2, $3, now())
     on conflict (user_id, client_id) do update
       set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null`,
    [o.userId, o.clientId, parseScopes(o.scope).join(' ')],
  )
}

/** The consents of a user, newest first: `{client, scopes, granted_at}`. */
export async function listConsents(db: Queryable, userId: string): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query(
    `select to_jsonb(c) as client, k.scopes, to_jsonb(k.granted_at) as granted_at
     from auth.oauth_consents k join auth.oauth_clients c on c.id = k.client_id and c.deleted_at is null
     where k.user_id = $1 and k.revoked_at is null order by k.granted_at desc, k.id`,
    [userId],
  )
  return (rows as { client: ClientRow; scopes: string; granted_at: string }[]).map((row) => ({
    client: renderConsentClient(toClient(row.client)),
    scopes: parseScopes(row.scopes),
    granted_at: new Date(row.granted_at).toISOString(),
  }))
}

/**
 * Revokes a consent, ends the client's sessions and revokes unredeemed codes; hosted Supabase leaves the codes
 * valid. Returns false if there was no consent.
 */
export async function revokeConsent(
  tx: Transaction,
  o: { userId: string; clientId: string },
): Promise<boolean> {
  const values = [o.userId, o.clientId]
  const { rowCount } = await tx.query(
    `update auth.oauth_consents set revoked_at = greatest(now(), granted_at)
     where user_id = $1 and client_id = $2 and revoked_at is null`,
    values,
  )
  if (rowCount === 0) return false
  // In this order: a concurrent redemption of a code has locked its row, and its session exists
  // afterwards.
  await tx.query(
    `update auth.oauth_authorizations set status = 'expired'
     where user_id = $1 and client_id = $2 and status in ('pending', 'approved')`,
    values,
  )
  await tx.query('delete from auth.sessions where user_id = $1 and oauth_client_id = $2', values)
  return true
}
