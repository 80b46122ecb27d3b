import type { Transaction } from '../Transaction.ts'
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Queryable } from '../rows/findUser.ts'
import type { Credential } from './credential.ts'

/** A row of auth.webauthn_credentials: a key that signs its owner in without a password. */
export interface Passkey extends Credential {
  rowId: string
  userId: string
  friendlyName: string
  createdAt: Date
  lastUsedAt: Date | null
}

interface PasskeyRow extends pg.QueryResultRow {
  id: string
  user_id: string
  credential_id: string
  public_key: string
  sign_count: number
  transports: string[]
  backup_eligible: boolean
  backed_up: boolean
  aaguid: string | null
  friendly_name: string
  created: number
  last_used: number | null
}

// Keys are selected as hexadecimal text and numbers as doubles, so that the values do not depend on how a client
// parses bytea, bigint and timestamps.
const columns = `id, user_id, encode(credential_id, 'hex') as credential_id, encode(public_key, 'hex') as public_key,
  sign_count::float8, transports, backup_eligible, backed_up, aaguid, friendly_name,
  extract(epoch from created_at)::float8 as created, extract(epoch from last_used_at)::float8 as last_used`

function toPasskey(row: PasskeyRow): Passkey {
  return {
    rowId: row.id,
    userId: row.user_id,
    id: Buffer.from(row.credential_id, 'hex').toString('base64url'),
    publicKey: Uint8Array.from(Buffer.from(row.public_key, 'hex')),
    signCount: row.sign_count,
    transports: Array.isArray(row.transports) ? row.transports : [],
    backupEligible: row.backup_eligible,
    backedUp: row.backed_up,
    aaguid: row.aaguid ?? '',
    friendlyName: row.friendly_name,
    createdAt: new Date(row.created * 1000),
    lastUsedAt: row.last_used === null ? null : new Date(row.last_used * 1000),
  }
}

/** Returns the passkeys of a user, oldest first. */
export async function listPasskeys(db: Queryable, userId: string): Promise<Passkey[]> {
  const { rows } = await db.query(
    `select ${columns} from auth.webauthn_credentials where user_id = $1 order by created_at, id`,
    [userId],
  )
  return (rows as PasskeyRow[]).map(toPasskey)
}

/**
 * Finds a passkey by its credential id. Its row is locked until the transaction ends, so that its counter is read
 * once per use.
 */
export async function lockPasskey(tx: Transaction, credentialId: string): Promise<Passkey | null> {
  const { rows } = await tx.query<PasskeyRow>(
    `select ${columns} from auth.webauthn_credentials where credential_id = decode($1, 'hex') for no key update`,
    [Buffer.from(credentialId, 'base64url').toString('hex')],
  )
  return rows[0] ? toPasskey(rows[0]) : null
}

/** Inserts a passkey. A key that is already registered violates webauthn_credentials_credential_id_key. */
export async function storePasskey(
  tx: Transaction,
  o: { userId: string; credential: Credential; friendlyName: string },
): Promise<Passkey> {
  const { credential } = o
  const { rows } = await tx.query<PasskeyRow>(
    `insert into auth.webauthn_credentials (id, user_id, credential_id, public_key, attestation_type, aaguid,
       sign_count, transports, backup_eligible, backed_up, friendly_name, created_at, updated_at)
     values ($1, $2, decode($3, 'hex'), decode($4, 'hex'), 'none', $5, $6, $7, $8, $9, $10, now(), now())
     returning ${columns}`,
    [
      randomUUID(),
      o.userId,
      Buffer.from(credential.id, 'base64url').toString('hex'),
      Buffer.from(credential.publicKey).toString('hex'),
      credential.aaguid || null,
      credential.signCount,
      JSON.stringify(credential.transports),
      credential.backupEligible,
      credential.backedUp,
      o.friendlyName,
    ],
  )
  return toPasskey(rows[0]!)
}

/** Stores the new counter and the time of use. */
export async function storePasskeyUse(tx: Transaction, passkey: Passkey, now: Credential): Promise<void> {
  await tx.query(
    `update auth.webauthn_credentials set sign_count = $2, backed_up = $3, last_used_at = now(), updated_at = now()
     where id = $1`,
    [passkey.rowId, now.signCount, now.backedUp],
  )
}

/** Renames a passkey. Returns null if `userId` has no such passkey. */
export async function renamePasskey(
  tx: Transaction,
  o: { id: string; userId: string; friendlyName: string },
): Promise<Passkey | null> {
  const { rows } = await tx.query<PasskeyRow>(
    `update auth.webauthn_credentials set friendly_name = $3, updated_at = now()
     where id = $1 and user_id = $2 returning ${columns}`,
    [o.id, o.userId, o.friendlyName],
  )
  return rows[0] ? toPasskey(rows[0]) : null
}

/** Deletes a passkey. Returns false if `userId` has no such passkey. */
export async function deletePasskey(tx: Transaction, id: string, userId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'delete from auth.webauthn_credentials where id = $1 and user_id = $2',
    [id, userId],
  )
  return rowCount === 1
}

/** Renders a passkey for responses. */
export function renderPasskey(passkey: Passkey): Record<string, unknown> {
  return {
    id: passkey.rowId,
    ...(passkey.friendlyName ? { friendly_name: passkey.friendlyName } : {}),
    created_at: passkey.createdAt.toISOString(),
    ...(passkey.lastUsedAt ? { last_used_at: passkey.lastUsedAt.toISOString() } : {}),
  }
}
