import type pg from 'pg'
import type { Queryable } from '../../rows/findUser.ts'

/** One row of auth.custom_oauth_providers, as JSON. */
export interface CustomProvider {
  id: string
  provider_type: 'oauth2' | 'oidc'
  identifier: string
  name: string
  client_id: string
  client_secret: string
  acceptable_client_ids: string[]
  scopes: string[]
  pkce_enabled: boolean
  attribute_mapping: Record<string, unknown>
  custom_claims_allowlist: string[]
  authorization_params: Record<string, unknown>
  enabled: boolean
  email_optional: boolean
  issuer: string | null
  discovery_url: string | null
  skip_nonce_check: boolean
  cached_discovery: Record<string, unknown> | null
  authorization_url: string | null
  token_url: string | null
  userinfo_url: string | null
  jwks_uri: string | null
  created_at: string
  updated_at: string
}

/** The columns that are written, in the order of the statements. */
const columns = [
  'provider_type',
  'identifier',
  'name',
  'client_id',
  'client_secret',
  'acceptable_client_ids',
  'scopes',
  'pkce_enabled',
  'attribute_mapping',
  'custom_claims_allowlist',
  'authorization_params',
  'enabled',
  'email_optional',
  'issuer',
  'discovery_url',
  'skip_nonce_check',
  'cached_discovery',
  'authorization_url',
  'token_url',
  'userinfo_url',
  'jwks_uri',
] as const satisfies (keyof CustomProvider)[]
export type CustomProviderFields = Pick<CustomProvider, (typeof columns)[number]>

/** Newest first. */
export async function listCustomProviders(db: Queryable, type: string | null): Promise<CustomProvider[]> {
  const { rows } = await db.query(
    `select to_jsonb(p) as provider from auth.custom_oauth_providers p
     where $1::text is null or p.provider_type = $1 order by p.created_at desc, p.id`,
    [type],
  )
  return rows.map((row) => row.provider as CustomProvider)
}

/** @param identifier with its "custom:" */
export async function findCustomProvider(db: Queryable, identifier: string): Promise<CustomProvider | null> {
  const { rows } = await db.query(
    'select to_jsonb(p) as provider from auth.custom_oauth_providers p where p.identifier = $1',
    [identifier],
  )
  return (rows[0]?.provider as CustomProvider | undefined) ?? null
}

/** The fields are passed as one JSON object, so that arrays and objects need no SQL syntax. */
const fromJson = columns.map((name) => `f.${name}`).join(', ')

/** Null if the identifier already exists. */
export async function insertCustomProvider(
  db: Queryable,
  fields: CustomProviderFields,
): Promise<CustomProvider | null> {
  const { rows } = await db.query(
    `insert into auth.custom_oauth_providers as p (${columns.join(', ')}, discovery_cached_at)
     select ${fromJson}, case when f.cached_discovery is not null then now() end
     from jsonb_populate_record(null::auth.custom_oauth_providers, $1) f
     on conflict (identifier) do nothing
     returning to_jsonb(p) as provider`,
    [JSON.stringify(fields)],
  )
  return (rows[0]?.provider as CustomProvider | undefined) ?? null
}

/** Null if it does not exist any more. */
export async function updateCustomProvider(
  db: Queryable,
  id: string,
  fields: CustomProviderFields,
): Promise<CustomProvider | null> {
  const { rows } = await db.query(
    `update auth.custom_oauth_providers p set (${columns.join(', ')}, updated_at)
       = (select ${fromJson}, now() from jsonb_populate_record(null::auth.custom_oauth_providers, $2) f)
     where p.id = $1 returning to_jsonb(p) as provider`,
    [id, JSON.stringify(fields)],
  )
  return (rows[0]?.provider as CustomProvider | undefined) ?? null
}

/** The issuer of the deleted provider; undefined if there was none. */
export async function deleteCustomProvider(
  db: Queryable | pg.Client,
  identifier: string,
): Promise<{ issuer: string | null } | undefined> {
  const { rows } = await db.query(
    'delete from auth.custom_oauth_providers where identifier = $1 returning issuer',
    [identifier],
  )
  return rows[0] as { issuer: string | null } | undefined
}

/** A provider in responses of the admin API, without its secret. */
export function renderCustomProvider(provider: CustomProvider): Record<string, unknown> {
  const {
    client_secret: _secret,
    cached_discovery: discovery,
    ...shown
  } = provider as CustomProvider & { discovery_cached_at?: unknown }
  delete shown.discovery_cached_at
  const entries = Object.entries({ ...shown, discovery_document: discovery })
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [name, name.endsWith('_at') ? new Date(value as string).toISOString() : value])
  return Object.fromEntries(entries)
}
