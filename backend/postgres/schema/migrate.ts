import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { loadConfig, type Config } from '../../config/loadConfig.ts'
import type { Logger } from '../../logging/logger.ts'
import { findPending, listMigrations, type MigrationFile } from './migrationFiles.ts'
import { preparePublic } from './preparePublic.ts'
import { readApplied } from './readApplied.ts'
import { runOnce, wantOnce } from './runOnce.ts'
import { runStatements } from './runStatements.ts'
import { finishSchemaChange } from './schemaMark.ts'
import { defaultSeeds, findRolesFile, listSeeds, type OnceFile } from './seedFiles.ts'
import { splitStatements } from './splitStatements.ts'
import { takeTurn } from './takeTurn.ts'
import { tellOversights } from './tellOversights.ts'
import type { Postgres } from '../server/startPostgres.ts'

interface MigrateOptions {
  postgres: Pick<Postgres, 'config'> & { dataDir?: string }
  /** A supabase folder: `migrations/`, `roles.sql`, seed files. */
  dir: string
  /** Its config.toml; read here unless given. */
  config?: Config
  /** Run the seed files where no migration was ever applied to these data. */
  seed?: boolean
  log: Logger
}

// The tables of the Supabase CLI (its pkg/migration/history.go), so that data can move between the two homes.
const bookkeeping = `
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations
    (version text not null primary key, statements text[], name text);
  alter table supabase_migrations.schema_migrations
    add column if not exists statements text[], add column if not exists name text;
  create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null);`

/**
 * Applies the migrations of a supabase folder as `postgres`, in order, each once and each in a transaction of its
 * own. Where the data are new, `roles.sql` runs before them and the seed files of `[db.seed]` after.
 * Throws StartError (MigrationError with file, line, reason where a statement fails) or ConfigError.
 */
export async function migrate(o: MigrateOptions): Promise<{ applied: string[] }> {
  const { log } = o
  const config = o.config ?? loadConfig(o.dir)
  const listed = listMigrations(o.dir)
  const migrations = config.at('db.migrations.enabled', true) ? listed.migrations : []
  for (const file of listed.skipped) {
    log.warn('migration skipped', { file, why: 'the name must be <version>_<name>.sql' })
  }
  const roles = findRolesFile(o.dir)
  const seeds = o.seed === true ? findSeeds(config, log) : []
  const endTurn = await takeTurn(o.postgres.config('postgres'))
  const client = new Client({ ...o.postgres.config('postgres'), application_name: 'migrate' })
  client.on('error', () => {})
  try {
    await client.connect()
    const recorded = await readApplied(client)
    const pending = findPending(migrations, recorded ?? [])
    await client.query(`begin; set local client_min_messages to warning; ${bookkeeping}`)
    if (recorded === null) await wantOnce(client, roles ? [roles, ...seeds] : seeds)
    await client.query('commit')
    await preparePublic(client, config)
    if (roles) await runOnce(client, [roles], log)
    for (const migration of pending) {
      await apply(client, migration, log)
      log.info('migration applied', { file: migration.file })
    }
    // The planner knows nothing of rows that came a moment ago: until it looked, a page reads its whole channel.
    if ((await runOnce(client, seeds, log)) > 0) await client.query('analyze')
    await tellOversights(client, config, migrations.length, log)
    if (o.postgres.dataDir !== undefined) finishSchemaChange(o.postgres.dataDir, o.dir)
    return { applied: pending.map((migration) => migration.file) }
  } finally {
    await client.end()
    await endTurn()
  }
}

function findSeeds(config: Config, log: Logger): OnceFile[] {
  const { files, unmatched } = listSeeds(config.dir, config.at('db.seed.sql_paths', [...defaultSeeds]))
  for (const pattern of unmatched.filter((pattern) => !defaultSeeds.includes(pattern))) {
    log.warn('seed missing', { pattern, why: 'db.seed.sql_paths names no file by it' })
  }
  return files
}

async function apply(client: Client, migration: MigrationFile, log: Logger): Promise<void> {
  const statements = splitStatements(readFileSync(migration.path, 'utf8'))
  // What the file before has set for its session must not change what this one means.
  await client.query('discard all')
  await runStatements({
    client,
    file: migration.file,
    statements,
    notice: (sentence) => log.warn('migration notice', { notice: sentence }),
    async record() {
      await client.query('reset role; select linnet_platform.assert_services_intact()')
      await client.query(
        'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)',
        [migration.version, migration.name, statements.map((statement) => statement.text)],
      )
    },
  })
}
