import { randomInt, randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Queryable } from '../rows/findUser.ts'
import type { Challenge } from '../rows/flowState.ts'

/** One row of auth.oauth_authorizations: a client that asks a person to be let in. */
export interface Authorization {
  /** Names the row in addresses. */
  authorization_id: string
  /** The row's own key, which nobody is told: the id of the session once one was issued. */
  id: string
  client_id: string
  /** Null until somebody has looked at it. */
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

/** What a client asks for, all of it checked. */
export interface AuthorizationRequest {
  clientId: string
  redirectUri: string
  scope: string
  state: string
  resource: string
  challenge: Challenge
  nonce: string
}

/** How long a client has from its request until it redeems its code, as hosted has it. */
const life = '10 minutes'

const letters = 'abcdefghijklmnopqrstuvwxyz234567'

/** Stores a request that nobody has looked at yet. Gives the id that stands in the address of the consent page. */
export async function createAuthorization(db: Queryable, o: AuthorizationRequest): Promise<string> {
  const authorizationId = Array.from({ length: 32 }, () => letters[randomInt(letters.length)]).join('')
  await db.query(
    `insert into auth.oauth_authorizations (id, authorization_id, client_id, redirect_uri, scope, state,
       resource, code_challenge, code_challenge_method, nonce, created_at, expires_at)
     values ($1, $2, $3, $4, $5, nullif($6, ''), nullif($7, ''), $8, $9, nullif($10, ''), now(),
       now() + interval '${life}')`,
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
 * A request by its id, locked until the transaction ends, and before it what the person let this client do: whoever
 * takes that back locks it first as well, and finds what followed from it.
 *
 * Hosted passes over a row that another request holds and says that there is none, so that a page which asks twice
 * at once is told so once; here the second waits.
 */
export async function lockAuthorization(
  client: pg.Client,
  id: string,
  userId: string,
): Promise<Authorization | null> {
  await client.query(
    `select 1 from auth.oauth_consents where user_id = $2 and revoked_at is null
       and client_id = (select client_id from auth.oauth_authorizations where authorization_id = $1)
     for no key update`,
    [id, userId],
  )
  const { rows } = await client.query<Authorization>(
    `select ${columns} from auth.oauth_authorizations where authorization_id = $1 for update`,
    [id],
  )
  return rows[0] ?? null
}

/** A request by the code that was issued for it, redeemed or not; locked likewise. */
export async function lockAuthorizationOfCode(
  client: pg.Client,
  code: string,
): Promise<Authorization | null> {
  const { rows } = await client.query<Authorization>(
    `select ${columns} from auth.oauth_authorizations where authorization_code = $1 for update`,
    [code],
  )
  return rows[0] ?? null
}

/** Whoever looks at a request first is the one whom it asks. */
export async function claimAuthorization(client: pg.Client, id: string, userId: string): Promise<void> {
  await client.query('update auth.oauth_authorizations set user_id = $2 where authorization_id = $1', [
    id,
    userId,
  ])
}

/** Lets the client in. Gives the code that it may redeem once. */
export async function approveAuthorization(client: pg.Client, id: string): Promise<string> {
  const code = randomUUID()
  await client.query(
    `update auth.oauth_authorizations
     set status = 'approved', approved_at = now(), authorization_code = $2 where authorization_id = $1`,
    [id, code],
  )
  return code
}

/** Ends a request that still waits for an answer. */
export async function closeAuthorization(
  client: pg.Client,
  id: string,
  status: 'denied' | 'expired',
): Promise<void> {
  await client.query(
    `update auth.oauth_authorizations set status = $2::auth.oauth_authorization_status
     where authorization_id = $1 and status = 'pending'`,
    [id, status],
  )
}

/**
 * Marks a code as redeemed. Hosted deletes the row and so can't tell a code that is used again, perhaps by a
 * thief, from one that never was; here the row stays for a day (RFC 6749 §4.1.2).
 */
export async function spendAuthorization(client: pg.Client, id: string): Promise<void> {
  await client.query(`update auth.oauth_authorizations set status = 'expired' where authorization_id = $1`, [
    id,
  ])
}

/** Forgets requests of which nothing can come any more, a day after they ended. */
export async function sweepAuthorizations(db: Queryable): Promise<void> {
  await db.query(`delete from auth.oauth_authorizations where expires_at < now() - interval '1 day'`)
}
