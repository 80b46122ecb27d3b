import { ArchiveError } from './ImportRequest.ts'
import type { Connection } from './importTransaction.ts'
import type { ReceiptCounts } from './Receipt.ts'

/** How an account signs in. An archive has it only if the person who exports it at the command line requests it. */
export interface Credentials {
  /** The hash. */
  password: string | null
  /** Rows of `auth.mfa_factors`. */
  factors: Record<string, unknown>[] | null
  /** Rows of `auth.webauthn_credentials`. */
  passkeys: Record<string, unknown>[] | null
  /** Hashes that contain the id of the account. */
  recovery_codes: string[] | null
}

/** The entry of an archive with the secrets that Vault stores for integrations. */
export const secretsTable = 'integration_secrets'

const factorColumns =
  'id friendly_name factor_type status created_at updated_at secret phone web_authn_credential web_authn_aaguid'.split(
    ' ',
  )
const passkeyColumns =
  'id credential_id public_key attestation_type aaguid sign_count transports backup_eligible backed_up friendly_name created_at updated_at last_used_at'.split(
    ' ',
  )

/** A hosted project has the table only with a version of the auth service that knows passkeys. */
async function hasPasskeys(database: Connection): Promise<boolean> {
  const { rows } = await database.query<{ found: boolean }>(
    `select to_regclass('auth.webauthn_credentials') is not null as found`,
  )
  return rows[0]!.found
}

const rowsAsJson = (table: string, columns: readonly string[], condition: string): string =>
  `(select json_agg(row_to_json(r)) from (
    select ${columns.map((column) => `t.${column}`).join(', ')} from ${table} t where t.user_id = u.id${condition} order by t.id) r)`

/** An expression over the account `u` that returns its credentials as JSON. */
export async function credentialsExpression(database: Connection): Promise<string> {
  return `json_build_object('password', nullif(u.encrypted_password, ''),
    'factors', ${rowsAsJson('auth.mfa_factors', factorColumns, ` and t.status = 'verified'`)},
    'passkeys', ${(await hasPasskeys(database)) ? rowsAsJson('auth.webauthn_credentials', passkeyColumns, '') : 'null'},
    'recovery_codes', (select json_agg(c.code_hash order by c.code_hash) from public.recovery_codes c where c.user_id = u.id))`
}

/** The secrets that sign requests to other servers. */
export const secretsQuery = `select s.name, s.secret from (
    select 'outgoing webhook ' || h.id as name, app.read_secret('outgoing webhook ' || h.id) as secret
    from public.outgoing_webhooks h join exported e on e.channel_id = h.channel_id
    union all
    select 'bot commands ' || b.profile_id, app.read_secret('bot commands ' || b.profile_id)
    from public.bots b where b.workspace_id = $1) s
  where s.secret is not null order by s.name`

/** Reads the credentials of an account. Throws ArchiveError. */
export function readCredentials(value: unknown): Credentials | null {
  if (value === undefined || value === null) return null
  const {
    password = null,
    factors = null,
    passkeys = null,
    recovery_codes: codes = null,
  } = value as Partial<Credentials>
  const isList = (list: unknown[] | null, type: string): boolean =>
    list === null ||
    (Array.isArray(list) && list.length <= 100 && list.every((item) => typeof item === type && item !== null))
  if (
    (password !== null && (typeof password !== 'string' || password.length > 255)) ||
    !isList(factors, 'object') ||
    !isList(passkeys, 'object') ||
    !isList(codes, 'string')
  )
    throw new ArchiveError('The archive contains an account with malformed credentials.')
  return { password, factors, passkeys, recovery_codes: codes }
}

/**
 * Gives an account the credentials of the account with this id in the archive, unless it has some already: an archive never changes
 * how an existing account signs in. The caller runs it in the transaction that gives the account its profile.
 */
export async function storeCredentials(
  database: Connection,
  account: string,
  { password, factors, passkeys, recovery_codes: codes }: Credentials,
): Promise<void> {
  const { rowCount } = await database.query(
    `update auth.users u set encrypted_password = coalesce($2, u.encrypted_password)
     where u.id = $1 and coalesce(u.encrypted_password, '') = '' and u.last_sign_in_at is null
       and not exists (select from auth.mfa_factors f where f.user_id = u.id)`,
    [account, password],
  )
  if (rowCount === 0) return
  const insert = async (table: string, columns: readonly string[], rows: unknown[] | null): Promise<void> => {
    if (rows === null) return
    await database.query(
      `insert into ${table} (user_id, ${columns.join(', ')})
       select $1::uuid, ${columns.map((column) => `r.${column}`).join(', ')}
       from jsonb_populate_recordset(null::${table}, $2) r on conflict do nothing`,
      [account, JSON.stringify(rows)],
    )
  }
  await insert('auth.mfa_factors', factorColumns, factors)
  if (await hasPasskeys(database)) await insert('auth.webauthn_credentials', passkeyColumns, passkeys)
  if (codes !== null)
    await database.query(
      `insert into public.recovery_codes (user_id, code_hash)
       select $1, c from unnest($2::text[]) c on conflict do nothing`,
      [account, codes],
    )
}

/** Stores secrets of integrations of the workspace that have none. The caller runs it in a transaction. */
export async function storeSecrets(
  {
    database,
    workspaceId,
    counts,
  }: { database: Connection; workspaceId: string; counts(table: string): ReceiptCounts },
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  for (const { name, secret } of rows) {
    const found = /^(outgoing webhook|bot commands) ([0-9a-f-]{36})$/.exec(String(name))
    if (found === null || typeof secret !== 'string' || !/^whsec_[A-Za-z0-9+/=]{20,100}$/.test(secret))
      throw new ArchiveError('The archive contains a malformed secret of an integration.')
    const { rows: stored } = await database.query(
      `select app.store_secret($1, $2, 'Signs requests to another server.')
       from public.bots b
       where b.workspace_id = $3
         and (case when $4 then exists (select from public.outgoing_webhooks h where h.id = $5 and h.bot_id = b.profile_id)
           else b.profile_id = $5 end)
         and not exists (select from vault.secrets s where s.name = $1)`,
      [name, secret, workspaceId, found[1] === 'outgoing webhook', found[2]],
    )
    const count = counts(secretsTable)
    count.read++
    if (stored.length > 0) count.written++
    else count.present++
  }
}
