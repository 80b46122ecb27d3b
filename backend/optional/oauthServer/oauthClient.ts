import type { Transaction } from '../../auth/Transaction.ts'
import type { Queryable } from '../../auth/rows/findUser.ts'
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

export type ClientType = 'public' | 'confidential'
export type AuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post'

/** One row of auth.oauth_clients: an application that users can authorize. Timestamps are ISO 8601. */
export interface OAuthClient {
  id: string
  /** SHA-256 as base64url; empty for public clients. */
  secretHash: string
  registrationType: 'manual' | 'dynamic'
  clientType: ClientType
  authMethod: AuthMethod
  redirectUris: string[]
  grantTypes: string[]
  name: string
  uri: string
  logoUri: string
  createdAt: string
  updatedAt: string
}

/** The row as JSON. */
export interface ClientRow {
  id: string
  client_secret_hash: string | null
  registration_type: OAuthClient['registrationType']
  client_type: ClientType
  token_endpoint_auth_method: AuthMethod
  redirect_uris: string
  grant_types: string
  client_name: string | null
  client_uri: string | null
  logo_uri: string | null
  created_at: string
  updated_at: string
}

/** Splits a list of the table; no element contains a comma. */
function split(list: string): string[] {
  return list === '' ? [] : list.split(',')
}

/** Converts a row. */
export function toClient(row: ClientRow): OAuthClient {
  return {
    id: row.id,
    secretHash: row.client_secret_hash ?? '',
    registrationType: row.registration_type,
    clientType: row.client_type,
    authMethod: row.token_endpoint_auth_method,
    redirectUris: split(row.redirect_uris),
    grantTypes: split(row.grant_types),
    name: row.client_name ?? '',
    uri: row.client_uri ?? '',
    logoUri: row.logo_uri ?? '',
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  }
}

/** Finds a client that is not deleted. `id` must be a UUID. */
export async function findOAuthClient(db: Queryable, id: string): Promise<OAuthClient | null> {
  const { rows } = await db.query({
    name: 'auth_oauth_client',
    text: 'select to_jsonb(c) as client from auth.oauth_clients c where id = $1 and deleted_at is null',
    values: [id],
  })
  return rows[0] ? toClient(rows[0].client as ClientRow) : null
}

/** Finds a client and locks it until the transaction ends, for a change. */
export async function lockOAuthClient(tx: Transaction, id: string): Promise<OAuthClient | null> {
  await tx.query('select 1 from auth.oauth_clients where id = $1 for no key update', [id])
  return findOAuthClient(tx, id)
}

/** All clients, newest first. */
export async function listOAuthClients(db: Queryable): Promise<OAuthClient[]> {
  const { rows } = await db.query(
    `select to_jsonb(c) as client from auth.oauth_clients c
     where deleted_at is null order by created_at desc, id`,
  )
  return rows.map((row) => toClient(row.client as ClientRow))
}

/** Inserts or updates the row of a client. */
export async function saveOAuthClient(
  db: Queryable,
  client: Omit<OAuthClient, 'createdAt' | 'updatedAt'>,
): Promise<OAuthClient> {
  const { rows } = await db.query(
    `insert into auth.oauth_clients as c (id, client_secret_hash, registration_type, client_type,
       token_endpoint_auth_method, redirect_uris, grant_types, client_name, client_uri, logo_uri)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (id) do update set client_secret_hash = excluded.client_secret_hash,
       token_endpoint_auth_method = excluded.token_endpoint_auth_method,
       redirect_uris = excluded.redirect_uris, grant_types = excluded.grant_types,
       client_name = excluded.client_name, client_uri = excluded.client_uri, logo_uri = excluded.logo_uri,
       updated_at = now()
     returning to_jsonb(c) as client`,
    [
      client.id,
      client.secretHash,
      client.registrationType,
      client.clientType,
      client.authMethod,
      client.redirectUris.join(','),
      client.grantTypes.join(','),
      client.name,
      client.uri,
      client.logoUri,
    ],
  )
  return toClient(rows[0].client as ClientRow)
}

/** A client in responses to administrators and at its registration, without its secret. */
export function renderOAuthClient(client: OAuthClient): Record<string, unknown> {
  return {
    client_id: client.id,
    client_type: client.clientType,
    redirect_uris: client.redirectUris,
    token_endpoint_auth_method: client.authMethod,
    grant_types: client.grantTypes,
    response_types: ['code'],
    ...(client.name ? { client_name: client.name } : {}),
    ...(client.uri ? { client_uri: client.uri } : {}),
    ...(client.logoUri ? { logo_uri: client.logoUri } : {}),
    registration_type: client.registrationType,
    created_at: client.createdAt,
    updated_at: client.updatedAt,
  }
}

/** A client as the user sees it on the consent page. */
export function renderConsentClient(client: OAuthClient): Record<string, unknown> {
  return {
    id: client.id,
    ...(client.name ? { name: client.name } : {}),
    ...(client.uri ? { uri: client.uri } : {}),
    ...(client.logoUri ? { logo_uri: client.logoUri } : {}),
  }
}

/**
 * Marks a client as deleted, as hosted Supabase does. Its sessions and codes end too: on hosted Supabase its
 * access tokens stay valid, and the consent page still shows it.
 */
export async function deleteOAuthClient(tx: Transaction, id: string): Promise<void> {
  await tx.query('update auth.oauth_clients set deleted_at = now(), updated_at = now() where id = $1', [id])
  // In this order: a concurrent redemption of a code has locked its row, and its session exists
  // afterwards.
  await tx.query(
    `update auth.oauth_authorizations set status = 'expired'
     where client_id = $1 and status in ('pending', 'approved')`,
    [id],
  )
  await tx.query('delete from auth.sessions where oauth_client_id = $1', [id])
}

/** A new client secret: 256 random bits. */
export function createClientSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored hash of a secret. Secrets are random, so one round of SHA-256 is enough. */
export function hashClientSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

/** Whether the secret matches the hash, in constant time. */
export function isClientSecret(secret: string, hash: string): boolean {
  const given = Buffer.from(hashClientSecret(secret))
  const stored = Buffer.from(hash)
  return given.length === stored.length && timingSafeEqual(given, stored)
}
