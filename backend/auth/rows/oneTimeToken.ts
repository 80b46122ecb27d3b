import type { Queryable } from './findUser.ts'
import type { Transaction } from '../Transaction.ts'
import { createHmac, randomInt } from 'node:crypto'
import type { AuthKeys } from '../tokens/keys.ts'
import type { UserRow } from './user.ts'

/** Types of links and codes that are sent by mail or SMS, in the database's names. */
export type TokenType =
  | 'confirmation_token'
  | 'recovery_token'
  | 'reauthentication_token'
  | 'email_change_token_new'
  | 'email_change_token_current'
  | 'phone_change_token'

/** The prefix of the hash in a link that uses PKCE. */
export const pkcePrefix = 'pkce_'

/** A random code of `length` digits. */
export function createCode(length: number): string {
  return Array.from({ length }, () => randomInt(10)).join('')
}

/**
 * The hash of a code in the database and in links: HMAC-SHA-224 of address and code. Hosted Supabase uses a
 * plain digest, which anyone can compute from an address and a guess: sent as the hash of a link, it is limited
 * per client network only, so a million can be tried from many networks; and anyone who can read the table can
 * compute the codes.
 */
export function hashCode({ secret }: Pick<AuthKeys, 'secret'>, address: string, code: string): string {
  return createHmac('sha224', secret)
    .update(address + code)
    .digest('hex')
}

/** The column of auth.users with the time at which such a message was last sent. */
export const sentAtColumn = {
  confirmation_token: 'confirmation_sent_at',
  recovery_token: 'recovery_sent_at',
  reauthentication_token: 'reauthentication_sent_at',
  email_change_token_new: 'email_change_sent_at',
  email_change_token_current: 'email_change_sent_at',
  phone_change_token: 'phone_change_sent_at',
} as const satisfies Record<TokenType, keyof UserRow>

/** Stores a token and replaces an earlier one of its type: only the newest message is valid. */
export async function storeToken(
  tx: Transaction,
  o: { userId: string; type: TokenType; hash: string; address: string },
): Promise<void> {
  await tx.query(
    `update auth.users set ${o.type} = $2, ${sentAtColumn[o.type]} = now(), updated_at = now() where id = $1`,
    [o.userId, o.hash],
  )
  await tx.query(
    `insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, $3, $4, now() at time zone 'utc', now() at time zone 'utc')
     on conflict (user_id, token_type) do update set id = excluded.id, token_hash = excluded.token_hash,
       relates_to = excluded.relates_to, created_at = excluded.created_at, updated_at = excluded.updated_at`,
    [o.userId, o.type, o.hash, o.address.toLowerCase()],
  )
}

/** The user who has a token with one of these hashes and types; null if there is none. */
export async function findTokenOwner(
  db: Queryable,
  hashes: string[],
  types: TokenType[],
): Promise<{ userId: string; type: TokenType; relatesTo: string } | null> {
  const { rows } = await db.query({
    name: 'auth_token_owner',
    text: `select user_id, token_type::text, relates_to from auth.one_time_tokens
           where token_hash = any ($1) and token_type = any ($2::auth.one_time_token_type[]) limit 1`,
    values: [hashes, types],
  })
  const row = rows[0] as { user_id: string; token_type: TokenType; relates_to: string } | undefined
  return row ? { userId: row.user_id, type: row.token_type, relatesTo: row.relates_to } : null
}
