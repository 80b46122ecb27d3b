import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import type { Config } from '../../config/loadConfig.ts'
import type { Logger } from '../../logging/logger.ts'
import { commandName } from '../../runtime/commandName.ts'

/** Warns about schemas that apply without error but leave nothing accessible. */
export async function logSchemaWarnings(
  client: Client,
  config: Config,
  migrations: number,
  log: Logger,
): Promise<void> {
  const declared = join(config.dir, 'schemas')
  if (migrations === 0 && existsSync(declared)) {
    const files = readdirSync(declared).filter((file) => file.endsWith('.sql'))
    if (files.length > 0) {
      log.warn('schema.declarations_ignored', {
        folder: declared,
        reason:
          'only migrations are applied, and there are none; "supabase db diff -f <name>" creates one from the schemas',
      })
    }
  }
  const { rows } = await client.query<{ tables: number; open: number }>(
    `select count(*)::int as tables, count(*) filter (where exists (
        select from unnest(array['anon', 'authenticated', 'service_role']) as role
        where has_any_column_privilege(role, c.oid, 'select, insert, update')))::int as open
      from pg_class c
      where c.relnamespace = to_regnamespace('public') and c.relkind in ('r', 'p', 'v', 'm', 'f')`,
  )
  const { tables, open } = rows[0]!
  if (tables > 0 && open === 0) {
    log.warn('schema.tables_not_granted', {
      reason:
        'clients can access no table in public: grant access in a migration, or set ' +
        `auto_expose_new_tables = true in [api] and run "${commandName()} reset"`,
    })
  }
}
