import type { Client } from 'pg'
import type { CatalogueEntry } from '../../postgres/catalogue/readCatalogue.ts'

/** Rows of larger tables are only counted. */
const maxCompared = 10_000

/**
 * Reads the rows that the schema itself inserts, as one fact for each table of the current role: how many, and a digest of
 * the columns without a default, since a default can be a time or a random value.
 */
export async function readRows(client: Client): Promise<CatalogueEntry[]> {
  const { rows: tables } = await client.query<{ name: string; schema: string; defaults: string[] }>(
    `select format('%I.%I', n.nspname, c.relname) as name, n.nspname as schema,
       array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
         and (a.atthasdef or a.attidentity <> '')) as defaults
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and c.relowner = (select oid from pg_roles where rolname = current_user)
       and n.nspname not like 'pg\\_%' and n.nspname not in ('linnet_platform', 'supabase_migrations')
     order by 1`,
  )
  const facts: CatalogueEntry[] = []
  for (const { name, schema, defaults } of tables) {
    const { rows } = await client.query<{ value: string }>(
      `select count(*) || case when count(*) between 1 and ${maxCompared} then ' rows with the digest '
         || md5(string_agg(line, e'\\n' order by line collate "C")) else ' rows' end as value
       from (select (to_jsonb(t) - $1::text[])::text as line from ${name} t limit ${maxCompared + 1}) lines`,
      [defaults],
    )
    facts.push({ kind: 'rows', name, of: `table ${name}`, schema, value: rows[0]!.value })
  }
  return facts
}
