import type { Transaction } from '../../auth/Transaction.ts'
import { randomInt, randomUUID } from 'node:crypto'
import type { Queryable } from '../../auth/rows/findUser.ts'
import type { Challenge } from '../../auth/rows/flowState.ts'

/** One row of auth.oauth_authorizations: a client's request for access to a user's account. */
export interface Authorization {
  /** Identifies the row in URLs. */
  authorization_id: string
  /** The primary key, which is never returned; the id of the session once one is issued. */
  id: string
  client_id: string
  /** Null until a user has opened it. */
  user_id: string | null
  redirect_uri: string
  scope: string
  state: string | null
  resource: string | null
  code_challenge: string | null
  code_challenge_method: string | null
  nonce: string | null
  status: 'pending' | 'approved' | 'denied' | 'expired'
  authorization_code: string | null
  expired: boolean
}

const columns = `id, authorization_id, client_id, user_id, redirect_uri, scope, state, resource,
  code_challenge, code_challenge_method::text, nonce, status::text, authorization_code,
  expires_at < clock_timestamp() as expired`

/** A validated authorization request. */
export interface AuthorizationRequest {
  clientId: string
  redirectUri: string
  scope: string
  state: string
  resource: string
  challenge: Challenge
  nonce: string
}

/** The time from a client's request until it must redeem its code, as on hosted Supabase. */
const lifetime = '10 minutes'

const idAlphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** Stores a new request. Returns the id for the URL of the consent page. */
export async function createAuthorization(db: Queryable, o: AuthorizationRequest): Promise<string> {
  const authorizationId = Array.from({ length: 32 }, () => idAlphabet[randomInt(idAlphabet.length)]).join('')
  await db.query(
    `insert into auth.oauth_authorizations (id, authorization_id, client_id, redirect_uri, scope, state,
       resource, code_challenge, code_challenge_method, nonce, created_at, expires_at)
     values ($1, $2, $3, $4, $5, nullif($6, ''), nullif($7, ''), $8, $9, nullif($10, ''), now(),
       now() + interval '${lifetime}')`,
    [
      randomUUID(),
      authorizationId,
      o.clientId,
      o.redirectUri,
      o.scope,
      o.state,
      o.resource,
      o.challenge.challenge,
      o.challenge.method,
      o.nonce,
    ],
  )
  return authorizationId
}

/**
 * Locks a request by its id until the transaction ends, and before it the user's consent for the client:
 * revoking a consent locks it first too, and then finds what was issued for it.
 *
 * Hosted Supabase skips a row that another request has locked and reports it as missing, so one of two
 * concurrent requests of a page fails; here the second waits.
 */
export async function lockAuthorization(
  tx: Transaction,
  id: string,
  userId: string,
): Promise<Authorization | null> {
  await tx.query(
    `select 1 from auth.oauth_consents where user_id = $2 and revoked_at is null
       and client_id = (select client_id from auth.oauth_authorizations where authorization_id = $1)
     for no key update`,
    [id, userId],
  )
  const { rows } = await tx.query<Authorization>(
    `select ${columns} from auth.oauth_authorizations where authorization_id = $1 for update`,
    [id],
  )
  return rows[0] ?? null
}

/** Locks a request by the code that was issued for it, redeemed or not. */
export async function lockAuthorizationOfCode(tx: Transaction, code: string): Promise<Authorization | null> {
  const { rows } = await tx.query<Authorization>(
    `select ${columns} from auth.oauth_authorizations where authorization_code = $1 for update`,
    [code],
  )
  return rows[0] ?? null
}

/** Assigns a request to the first user who opens it. */
export async function assignAuthorization(tx: Transaction, id: string, userId: string): Promise<void> {
  await tx.query('update auth.oauth_authorizations set user_id = $2 where authorization_id = $1', [
    id,
    userId,
  ])
}

/** Approves a request. Returns the code, which can be redeemed once. */
export async function approveAuthorization(tx: Transaction, id: string): Promise<string> {
  const code = randomUUID()
  await tx.query(
    `update auth.oauth_authorizations
     set status = 'approved', approved_at = now(), authorization_code = $2 where authorization_id = $1`,
    [id, code],
  )
  return code
}

/** Closes a pending request. */
export async function closeAuthorization(
  tx: Transaction,
  id: string,
  status: 'denied' | 'expired',
): Promise<void> {
  await tx.query(
    `update auth.oauth_authorizations set status = $2::auth.oauth_authorization_status
     where authorization_id = $1 and status = 'pending'`,
    [id, status],
  )
}

/**
 * Marks a code as redeemed. Hosted Supabase deletes the row, so it cannot distinguish a reused, perhaps stolen, code
 * from an unknown one; here the row stays for a day (RFC 6749 §4.1.2).
 */
export async function markRedeemed(tx: Transaction, id: string): Promise<void> {
  await tx.query(`update auth.oauth_authorizations set status = 'expired' where authorization_id = $1`, [id])
}

/** Deletes requests a day after they expired. */
export async function sweepAuthorizations(db: Queryable): Promise<void> {
  await db.query(`delete from auth.oauth_authorizations where expires_at < now() - interval '1 day'`)
}
