import type { Transaction } from '../Transaction.ts'
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Queryable } from '../rows/findUser.ts'
import { toStoredCredential, type StoredCredential } from './storedCredential.ts'
import type { Credential } from '../passkeys/credential.ts'

/** Types of factors, with the method in `amr` of a session that each upgraded. */
export const factorMethods = { totp: 'totp', phone: 'mfa/phone', webauthn: 'mfa/webauthn' } as const
export type FactorType = keyof typeof factorMethods

/** A row of auth.mfa_factors. */
export interface Factor {
  id: string
  userId: string
  type: FactorType
  verified: boolean
  friendlyName: string
  /** For an authenticator app; only returned at enrollment. */
  secret: string | null
  phone: string | null
  credential: StoredCredential | null
  /** ms since 1970. */
  lastChallengedAt: number | null
}

interface FactorRow extends pg.QueryResultRow {
  id: string
  user_id: string
  factor_type: FactorType
  status: 'verified' | 'unverified'
  friendly_name: string | null
  secret: string | null
  phone: string | null
  web_authn_credential: StoredCredential | null
  last_challenged: number | null
}

const columns = `id, user_id, factor_type::text, status::text, friendly_name, secret, phone, web_authn_credential,
  extract(epoch from last_challenged_at)::float8 as last_challenged`

function toFactor(row: FactorRow): Factor {
  return {
    id: row.id,
    userId: row.user_id,
    type: row.factor_type,
    verified: row.status === 'verified',
    friendlyName: row.friendly_name ?? '',
    secret: row.secret,
    phone: row.phone,
    credential: row.web_authn_credential,
    lastChallengedAt: row.last_challenged === null ? null : row.last_challenged * 1000,
  }
}

/** All factors of a user, oldest first. */
export async function listFactors(db: Queryable, userId: string): Promise<Factor[]> {
  const text = `select ${columns} from auth.mfa_factors where user_id = $1 order by created_at, id`
  const { rows } = await db.query({ name: 'auth_factors', text, values: [userId] })
  return (rows as FactorRow[]).map(toFactor)
}

/** A factor of a user; null if the user has no such factor. */
export async function findFactor(db: Queryable, userId: string, id: string): Promise<Factor | null> {
  const text = `select ${columns} from auth.mfa_factors where user_id = $1 and id = $2`
  const { rows } = await db.query({ name: 'auth_factor', text, values: [userId, id] })
  const [row] = rows as FactorRow[]
  return row ? toFactor(row) : null
}

/** Inserts an unverified factor. */
export async function storeFactor(
  tx: Transaction,
  o: { userId: string; type: FactorType; friendlyName: string; secret?: string; phone?: string },
): Promise<string> {
  const id = randomUUID()
  await tx.query(
    `insert into auth.mfa_factors
       (id, user_id, friendly_name, factor_type, status, secret, phone, created_at, updated_at)
     values ($1, $2, $3, $4, 'unverified', $5, $6, clock_timestamp(), clock_timestamp())`,
    [id, o.userId, o.friendlyName, o.type, o.secret ?? null, o.phone ?? null],
  )
  return id
}

/** Marks a factor as verified, and deletes the user's unverified ones of the same type. */
export async function markFactorVerified(tx: Transaction, factor: Factor): Promise<void> {
  await tx.query(
    `update auth.mfa_factors set status = 'verified', updated_at = clock_timestamp()
     where id = $1 and status = 'unverified'`,
    [factor.id],
  )
  await tx.query(
    `delete from auth.mfa_factors where user_id = $1 and status = 'unverified' and factor_type = $2`,
    [factor.userId, factor.type],
  )
}

/** Stores the key of a WebAuthn factor, with its current signature counter. */
export async function storeCredential(
  tx: Transaction,
  factorId: string,
  credential: Credential,
): Promise<void> {
  await tx.query(
    `update auth.mfa_factors set web_authn_credential = $2, web_authn_aaguid = $3, updated_at = clock_timestamp()
     where id = $1`,
    [factorId, JSON.stringify(toStoredCredential(credential)), credential.aaguid || null],
  )
}

/** Deletes a factor, and downgrades the sessions that it upgraded. */
export async function removeFactor(tx: Transaction, factor: Factor): Promise<void> {
  await tx.query('delete from auth.mfa_factors where id = $1', [factor.id])
  await tx.query(
    `delete from auth.mfa_amr_claims
     where authentication_method = $2 and session_id in (select id from auth.sessions where factor_id = $1)`,
    [factor.id, factorMethods[factor.type]],
  )
  await tx.query(
    `update auth.sessions set aal = 'aal1', factor_id = null where user_id = $1 and factor_id = $2`,
    [factor.userId, factor.id],
  )
}
