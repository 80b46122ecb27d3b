import { createHmac, randomInt } from 'node:crypto'
import type pg from 'pg'
import type { AuthKeys } from '../tokens/keys.ts'
import type { UserRow } from './user.ts'

/** Kinds of links and codes that go by mail or as a text, by the names of the database. */
export type TokenType =
  | 'confirmation_token'
  | 'recovery_token'
  | 'reauthentication_token'
  | 'email_change_token_new'
  | 'email_change_token_current'
  | 'phone_change_token'

/** Before the hash of a link that ends in a PKCE code. */
export const pkcePrefix = 'pkce_'

/** A random code of `length` digits. */
export function createCode(length: number): string {
  return Array.from({ length }, () => randomInt(10)).join('')
}

/**
 * What stands for code and address in the database and in links: HMAC-SHA-224 of both. Hosted has the bare digest,
 * which anyone can make of an address and a guess: sent as the hash of a link it is counted for the caller's network
 * alone, so that a million of them can be tried from many; and who reads the table has the codes.
 */
export function hashCode({ secret }: Pick<AuthKeys, 'secret'>, address: string, code: string): string {
  return createHmac('sha224', secret)
    .update(address + code)
    .digest('hex')
}

/** The column of auth.users that says when such a message was last sent. */
export const sentColumn = {
  confirmation_token: 'confirmation_sent_at',
  recovery_token: 'recovery_sent_at',
  reauthentication_token: 'reauthentication_sent_at',
  email_change_token_new: 'email_change_sent_at',
  email_change_token_current: 'email_change_sent_at',
  phone_change_token: 'phone_change_sent_at',
} as const satisfies Record<TokenType, keyof UserRow>

/** Stores a token, in place of an earlier one of its kind: only the newest message works. */
export async function storeToken(
  client: pg.Client,
  o: { userId: string; type: TokenType; hash: string; address: string },
): Promise<void> {
  await client.query(
    `update auth.users set ${o.type} = $2, ${sentColumn[o.type]} = now(), updated_at = now() where id = $1`,
    [o.userId, o.hash],
  )
  await client.query(
    `insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, $3, $4, now() at time zone 'utc', now() at time zone 'utc')
     on conflict (user_id, token_type) do update set id = excluded.id, token_hash = excluded.token_hash,
       relates_to = excluded.relates_to, created_at = excluded.created_at, updated_at = excluded.updated_at`,
    [o.userId, o.type, o.hash, o.address.toLowerCase()],
  )
}

/** Whose token one of these hashes is, among these kinds; null when it is nobody's (any more). */
export async function findTokenOwner(
  client: pg.Client,
  hashes: string[],
  types: TokenType[],
): Promise<{ userId: string; type: TokenType; relatesTo: string } | null> {
  const { rows } = await client.query<{ user_id: string; token_type: TokenType; relates_to: string }>({
    name: 'auth_token_owner',
    text: `select user_id, token_type::text, relates_to from auth.one_time_tokens
           where token_hash = any ($1) and token_type = any ($2::auth.one_time_token_type[]) limit 1`,
    values: [hashes, types],
  })
  const row = rows[0]
  return row ? { userId: row.user_id, type: row.token_type, relatesTo: row.relates_to } : null
}
