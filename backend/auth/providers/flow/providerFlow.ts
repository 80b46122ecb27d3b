import type { Transaction } from '../../Transaction.ts'
import { randomUUID } from 'node:crypto'
import { AuthError } from '../../http/AuthError.ts'
import type { Queryable } from '../../rows/findUser.ts'
import type { Challenge } from '../../rows/flowState.ts'

/** A sign-in with a provider that has begun. Its id is the `state` that the provider returns. */
export interface ProviderFlow {
  id: string
  provider: string
  /** Where the browser is redirected to in the end. */
  redirectTo: string
  /** Whether it ends with a code for the holder of the verifier, or with tokens. */
  isPkce: boolean
  authCode: string | null
  inviteToken: string
  /** The account to link the identity to; null for a sign-in. */
  linkTo: string | null
  clientStateId: string | null
  emailOptional: boolean
}

/** The maximum duration of a sign-in at the provider, in seconds. */
const flowLifetimeSeconds = 300

/** Stores a flow. */
export async function storeProviderFlow(
  db: Queryable,
  o: {
    id: string
    provider: string
    challenge: Challenge | null
    redirectTo: string
    inviteToken: string
    linkTo: string | null
    emailOptional: boolean
    /** The secret for `Provider.redeem`; null if there is none. */
    secret: string | null
  },
): Promise<void> {
  const clientStateId = o.secret === null ? null : randomUUID()
  await db.query(
    `with kept as (
       insert into auth.oauth_client_states (id, provider_type, code_verifier, created_at)
       select $1::uuid, $2, $3, clock_timestamp() where $1::uuid is not null)
     insert into auth.flow_state (id, provider_type, auth_code, code_challenge_method, code_challenge,
       provider_access_token, provider_refresh_token, authentication_method, invite_token, referrer,
       oauth_client_state_id, linking_target_id, email_optional, created_at, updated_at)
     values ($4, $2, $5, $6, $7, '', '', 'oauth', $8, $9, $1, $10, $11, clock_timestamp(), clock_timestamp())`,
    [
      clientStateId,
      o.provider,
      o.secret,
      o.id,
      o.challenge ? randomUUID() : null,
      o.challenge?.method ?? null,
      o.challenge?.challenge ?? null,
      o.inviteToken || null,
      o.redirectTo,
      o.linkTo,
      o.emailOptional,
    ],
  )
}

interface FlowRow {
  id: string
  provider_type: string
  referrer: string | null
  code_challenge: string | null
  auth_code: string | null
  invite_token: string | null
  linking_target_id: string | null
  oauth_client_state_id: string | null
  email_optional: boolean
  user_id: string | null
  expired: boolean
}

/** Finds the flow of a `state`. Throws AuthError 400 bad_oauth_state, flow_state_already_used. */
export async function findProviderFlow(db: Queryable, state: string): Promise<ProviderFlow> {
  const { rows } = await db.query(
    `select id, provider_type, referrer, code_challenge, auth_code, invite_token, linking_target_id,
       oauth_client_state_id, email_optional, user_id,
       created_at < clock_timestamp() - make_interval(secs => ${flowLifetimeSeconds}) as expired
     from auth.flow_state where id = $1 and authentication_method = 'oauth'`,
    [state],
  )
  const row = rows[0] as FlowRow | undefined
  if (!row) throw new AuthError(400, 'bad_oauth_state', 'OAuth state not found or expired')
  if (row.expired) throw new AuthError(400, 'bad_oauth_state', 'OAuth state has expired')
  if (row.user_id !== null) {
    throw new AuthError(400, 'flow_state_already_used', 'State has already been used')
  }
  return {
    id: row.id,
    provider: row.provider_type,
    redirectTo: row.referrer ?? '',
    isPkce: row.code_challenge !== null,
    authCode: row.auth_code,
    inviteToken: row.invite_token ?? '',
    linkTo: row.linking_target_id,
    clientStateId: row.oauth_client_state_id,
    emailOptional: row.email_optional,
  }
}

/**
 * Deletes and returns the secret for `Provider.redeem`: it can be used once.
 * @throws AuthError 422 oauth_client_state_not_found, oauth_client_state_expired; 400 oauth_invalid_state
 */
export async function takeSecret(db: Queryable, flow: ProviderFlow): Promise<string | null> {
  if (flow.clientStateId === null) return null
  const { rows } = await db.query(
    `delete from auth.oauth_client_states where id = $1
     returning provider_type, code_verifier,
       created_at < clock_timestamp() - make_interval(secs => ${flowLifetimeSeconds}) as expired`,
    [flow.clientStateId],
  )
  const row = rows[0] as { provider_type: string; code_verifier: string | null; expired: boolean } | undefined
  if (!row) throw new AuthError(422, 'oauth_client_state_not_found', 'OAuth state not found')
  if (row.provider_type !== flow.provider) {
    throw new AuthError(400, 'oauth_invalid_state', 'OAuth provider mismatch')
  }
  if (row.expired) throw new AuthError(422, 'oauth_client_state_expired', 'OAuth state expired')
  return row.code_verifier
}

/**
 * Locks the flow for the request that finishes it: of two concurrent ones, the second finds it used or deleted.
 * @throws AuthError 400 bad_oauth_state, flow_state_already_used
 */
export async function lockUnusedFlow(tx: Transaction, flow: ProviderFlow): Promise<void> {
  const { rows } = await tx.query<{ user_id: string | null }>(
    'select user_id from auth.flow_state where id = $1 for update',
    [flow.id],
  )
  if (!rows[0]) throw new AuthError(400, 'bad_oauth_state', 'OAuth state not found or expired')
  if (rows[0].user_id !== null) {
    throw new AuthError(400, 'flow_state_already_used', 'State has already been used')
  }
}

/** Stores the flow's user and tokens: from now on its code is valid. */
export async function storeFlowResult(
  tx: Transaction,
  flow: ProviderFlow,
  o: { userId: string; accessToken: string; refreshToken: string },
): Promise<void> {
  await tx.query(
    `update auth.flow_state set user_id = $2, provider_access_token = $3, provider_refresh_token = $4,
       auth_code_issued_at = clock_timestamp(), updated_at = clock_timestamp() where id = $1`,
    [flow.id, o.userId, o.accessToken, o.refreshToken],
  )
}

/** Deletes a flow that ends with tokens in the redirect. */
export async function deleteFlow(tx: Transaction, flow: ProviderFlow): Promise<void> {
  await tx.query('delete from auth.flow_state where id = $1', [flow.id])
}

/** The maximum length of a provider's text that is passed on, in characters. */
const maxLength = 512

/** The provider redirected with an error instead of a code (RFC 6749 §4.1.2.1). */
export class ProviderFlowError extends Error {
  override name = 'ProviderFlowError'
  readonly error: string

  constructor(error: string, description: string) {
    super(description.slice(0, maxLength))
    this.error = error.slice(0, maxLength)
  }
}
