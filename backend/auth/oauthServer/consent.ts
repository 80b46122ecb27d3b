import type pg from 'pg'
import type { Queryable } from '../rows/findUser.ts'
import { introduceOAuthClient, toClient, type ClientRow } from './oauthClient.ts'
import { parseScopes } from './scopes.ts'

/** Whether the person has already let this client do all that it asks for. */
export async function hasConsented(
  client: pg.Client,
  o: { userId: string; clientId: string; scope: string },
): Promise<boolean> {
  const { rows } = await client.query<{ scopes: string }>(
    `select scopes from auth.oauth_consents
     where user_id = $1 and client_id = $2 and revoked_at is null`,
    [o.userId, o.clientId],
  )
  if (!rows[0]) return false
  const granted = parseScopes(rows[0].scopes)
  return parseScopes(o.scope).every((scope) => granted.includes(scope))
}

/** Notes what a person lets a client do, in place of what they did before. */
export async function keepConsent(
  client: pg.Client,
  o: { userId: string; clientId: string; scope: string },
): Promise<void> {
  await client.query(
    `insert into auth.oauth_consents (id, user_id, client_id, scopes, granted_at)
     values (gen_random_uuid(), $1, $2, $3, now())
     on conflict (user_id, client_id) do update
       set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null`,
    [o.userId, o.clientId, parseScopes(o.scope).join(' ')],
  )
}

/** Whom a person has let in, the newest first: `{client, scopes, granted_at}`. */
export async function listConsents(db: Queryable, userId: string): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query(
    `select to_jsonb(c) as client, k.scopes, to_jsonb(k.granted_at) as granted_at
     from auth.oauth_consents k join auth.oauth_clients c on c.id = k.client_id and c.deleted_at is null
     where k.user_id = $1 and k.revoked_at is null order by k.granted_at desc, k.id`,
    [userId],
  )
  return (rows as { client: ClientRow; scopes: string; granted_at: string }[]).map((row) => ({
    client: introduceOAuthClient(toClient(row.client)),
    scopes: parseScopes(row.scopes),
    granted_at: new Date(row.granted_at).toISOString(),
  }))
}

/**
 * Takes back what a person has let a client do: its sessions end, and codes that it hasn't redeemed yet, which
 * hosted forgets. False where there was nothing to take back.
 */
export async function revokeConsent(
  client: pg.Client,
  o: { userId: string; clientId: string },
): Promise<boolean> {
  const values = [o.userId, o.clientId]
  const { rowCount } = await client.query(
    `update auth.oauth_consents set revoked_at = greatest(now(), granted_at)
     where user_id = $1 and client_id = $2 and revoked_at is null`,
    values,
  )
  if (rowCount === 0) return false
  // In this order: who redeems a code at this moment holds its row, and their session is there afterwards.
  await client.query(
    `update auth.oauth_authorizations set status = 'expired'
     where user_id = $1 and client_id = $2 and status in ('pending', 'approved')`,
    values,
  )
  await client.query('delete from auth.sessions where user_id = $1 and oauth_client_id = $2', values)
  return true
}
