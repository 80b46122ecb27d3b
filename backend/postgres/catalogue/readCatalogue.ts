import type { ClientBase } from 'pg'
import { catalogueQuery } from './catalogueQuery.ts'

export type Kind =
  | 'extension'
  | 'extension_details'
  | 'schema'
  | 'type'
  | 'composite_type'
  | 'domain'
  | 'range_type'
  | 'table'
  | 'table_details'
  | 'owner'
  | 'other_owner'
  | 'row_security'
  | 'column'
  | 'column_details'
  | 'constraint'
  | 'index'
  | 'index_details'
  | 'policy'
  | 'trigger'
  | 'trigger_state'
  | 'rule'
  | 'view'
  | 'sequence'
  | 'sequence_details'
  | 'statistics'
  | 'function'
  | 'aggregate'
  | 'grant'
  | 'owner_grant'
  | 'default_privileges'
  | 'comment'
  | 'security_label'
  | 'publication'
  | 'publication_details'
  | 'event_trigger'
  | 'other_object'
  | 'role'
  | 'setting'
  | 'role_setting'
  | 'bucket'
  | 'job'
  | 'job_owner'
  | 'rows'

/** An entry of a database's catalogue. */
export interface CatalogueEntry {
  kind: Kind
  /** Unique within its kind: `public.messages`, `"name" on public.messages`, `anon on table public.messages`. */
  name: string
  /** The table, function or schema that it belongs to: `table public.messages`; null if none. */
  of: string | null
  /** The schema of the object, or of the table that it belongs to; null for objects outside of schemas. */
  schema: string | null
  /** Its definition, equal in two databases with the same migrations. */
  value: string
}

/** Entries by `<kind> <name>`. */
export type Catalogue = ReadonlyMap<string, CatalogueEntry>

const buckets = `
select 'bucket' as kind, id as name, null as of, null as schema,
  case when public then 'public' else 'private' end || e'\\n' || coalesce(file_size_limit::text, '') || e'\\n' ||
  coalesce(array_to_string(allowed_mime_types, ','), '') as value
from storage.buckets`

const jobs = `
select 'job' as kind, coalesce(jobname, 'of ' || schedule) as name, null as of, null as schema,
  case when active then 'on' else 'off' end || e'\\n' || schedule || e'\\n' || command as value
from cron.job
union all
select 'job_owner', coalesce(jobname, 'of ' || schedule), 'job ' || coalesce(jobname, 'of ' || schedule), null, username
from cron.job`

async function relationExists(client: ClientBase, relation: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    relation,
  ])
  return rows[0]!.there
}

/**
 * Reads every fact about the schema of a database, except the members of extensions. `search_path` is empty meanwhile, so
 * that every name is qualified. Two databases with equal facts on one version of PostgreSQL behave equally.
 */
export async function readCatalogue(client: ClientBase): Promise<Catalogue> {
  const { rows: previous } = await client.query<{ path: string }>(
    `select current_setting('search_path') as path`,
  )
  await client.query("set search_path to ''")
  try {
    const { rows } = await client.query<CatalogueEntry>(catalogueQuery)
    const facts = [...rows]
    if (await relationExists(client, 'storage.buckets'))
      facts.push(...(await client.query<CatalogueEntry>(buckets)).rows)
    if (await relationExists(client, 'cron.job'))
      facts.push(...(await client.query<CatalogueEntry>(jobs)).rows)
    return new Map(facts.map((fact) => [`${fact.kind} ${fact.name}`, fact]))
  } finally {
    // In an aborted transaction the setting returns with the rollback.
    await client.query(`select set_config('search_path', $1, false)`, [previous[0]!.path]).catch(() => {})
  }
}
