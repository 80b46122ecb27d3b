import { extensionFiles } from '../../../backend/postgres/extensions/extensionFiles.ts'
import type { Pool } from '../../../backend/postgres/connections/pool.ts'

/**
 * Runs the scripts of the replacements for extensions that Linnet's migrations use. PostgreSQL 15 has no setting for the
 * folder in which `create extension` finds them.
 * @param pool of supabase_admin
 */
export async function installStandIns(pool: Pool): Promise<void> {
  const files = new Map(extensionFiles().map(({ name, text }) => [name, text]))
  for (const extension of ['supabase_vault', 'pg_net', 'pg_cron']) {
    const control = files.get(`${extension}.control`)
    if (control === undefined) continue
    const setting = (name: string): string | undefined =>
      new RegExp(`^${name} *= *'?([^'\\n]*)`, 'm').exec(control)?.[1]
    const script = files.get(`${extension}--${setting('default_version')}.sql`)!
    const schema = setting('schema') ?? 'extensions'
    await pool.transaction(async (client) => {
      if (schema !== 'pg_catalog') await client.query(`create schema if not exists ${schema}`)
      await client.query(`set local search_path to ${schema}`)
      await client.query(script.replaceAll('@extschema@', schema))
      // Migrations can then run "create extension if not exists" as on any other server.
      await client.query(
        `set local allow_system_table_mods to on;
         insert into pg_catalog.pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
         values ((select max(oid::bigint) + 1 from pg_catalog.pg_extension)::oid, '${extension}',
           'supabase_admin'::regrole, '${schema}'::regnamespace, false, '${setting('default_version')}')`,
      )
    })
  }
}
