import type { Client } from 'pg'

/** Recorded versions in order; null for new data, where nothing was ever recorded. */
export async function readApplied(client: Client): Promise<string[] | null> {
  const { rows } = await client.query<{ known: boolean }>(
    `select to_regclass('supabase_migrations.schema_migrations') is not null as known`,
  )
  if (!rows[0]!.known) return null
  const applied = await client.query<{ version: string }>(
    'select version from supabase_migrations.schema_migrations order by version',
  )
  return applied.rows.map((row) => row.version)
}
