import { listMigrations } from '../../../postgres/schema/migrationFiles.ts'
import type { DatabaseReader } from '../readDatabase.ts'

export interface Migration {
  version: string
  name: string
  applied: boolean
}

/** Migrations of the folder and those recorded in the database, by version. Throws ReadError. */
export async function readMigrations(database: DatabaseReader, supabaseDir: string): Promise<Migration[]> {
  const [row] = await database.read<{ there: boolean }>(
    `select to_regclass('supabase_migrations.schema_migrations') is not null as there`,
  )
  const recorded = row!.there
    ? await database.read<{ version: string; name: string | null }>(
        'select version, name from supabase_migrations.schema_migrations order by version limit 5000',
      )
    : []
  const all = new Map<string, Migration>()
  for (const { version, name } of listMigrations(supabaseDir).migrations)
    all.set(version, { version, name, applied: false })
  for (const { version, name } of recorded)
    all.set(version, { version, name: name ?? all.get(version)?.name ?? '', applied: true })
  return [...all.values()].sort((a, b) => (a.version < b.version ? -1 : 1))
}
