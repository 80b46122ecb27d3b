import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import type { Log } from '../../log.ts'
import { findPending, listMigrations, type MigrationFile } from './migrationFiles.ts'
import { runStatements } from './runStatements.ts'
import { finishSchemaChange } from './schemaMark.ts'
import { splitStatements } from './splitStatements.ts'
import type { Postgres } from '../server/startPostgres.ts'

interface MigrateOptions {
  postgres: Pick<Postgres, 'config'> & { dataDir?: string }
  /** A supabase folder: `migrations/`, `seed.sql`. */
  dir: string
  /** Run `seed.sql` where no migration was ever applied to these data. */
  seed?: boolean
  log: Log
}

// The tables of the Supabase CLI (its pkg/migration/history.go), so that data can move between the two homes.
const bookkeeping = `
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations
    (version text not null primary key, statements text[], name text);
  alter table supabase_migrations.schema_migrations
    add column if not exists statements text[], add column if not exists name text;
  create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null);`

/** What is recorded for a seed that is wanted and has not run yet: no hash of a file is empty. */
const unseeded = ''

/**
 * Applies the migrations of a supabase folder as `postgres`, in order, each once and each in a transaction of its
 * own, and `seed.sql` after them where the data are new.
 * Throws StartError (MigrationError with file, line, reason where a statement fails).
 */
export async function migrate(o: MigrateOptions): Promise<{ applied: string[] }> {
  const { migrations, skipped } = listMigrations(o.dir)
  for (const file of skipped) {
    o.log.warn('migration skipped', { file, why: 'the name must be <version>_<name>.sql' })
  }
  const client = new Client({ ...o.postgres.config('postgres'), application_name: 'migrate' })
  await client.connect()
  client.on('error', () => {})
  try {
    const recorded = await readApplied(client)
    const pending = findPending(migrations, recorded ?? [])
    await client.query(`begin; set local client_min_messages to warning; ${bookkeeping}`)
    if (recorded === null && o.seed) {
      await client.query(`insert into supabase_migrations.seed_files values ('seed.sql', $1)`, [unseeded])
    }
    await client.query('commit')
    for (const migration of pending) {
      await apply(client, migration, o.log)
      o.log.info('migration applied', { file: migration.file })
    }
    if (o.seed) await runSeed(client, join(o.dir, 'seed.sql'), o.log)
    if (o.postgres.dataDir !== undefined) finishSchemaChange(o.postgres.dataDir, o.dir)
    return { applied: pending.map((migration) => migration.file) }
  } finally {
    await client.end()
  }
}

/** Recorded versions; null where nothing was ever recorded: the data are new. */
async function readApplied(client: Client): Promise<string[] | null> {
  const { rows } = await client.query<{ known: boolean }>(
    `select to_regclass('supabase_migrations.schema_migrations') is not null as known`,
  )
  if (!rows[0]!.known) return null
  const applied = await client.query<{ version: string }>(
    'select version from supabase_migrations.schema_migrations',
  )
  return applied.rows.map((row) => row.version)
}

async function apply(client: Client, migration: MigrationFile, log: Log): Promise<void> {
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

async function runSeed(client: Client, path: string, log: Log): Promise<void> {
  const file = basename(path)
  await client.query('discard all')
  const { rowCount } = await client.query(
    'select from supabase_migrations.seed_files where path = $1 and hash = $2',
    [file, unseeded],
  )
  if (rowCount === 0) return
  const sql = existsSync(path) ? readFileSync(path, 'utf8') : ''
  await runStatements({
    client,
    file,
    statements: splitStatements(sql),
    notice: (sentence) => log.warn('seed notice', { notice: sentence }),
    async record() {
      await client.query('reset role')
      await client.query('update supabase_migrations.seed_files set hash = $2 where path = $1', [
        file,
        createHash('sha256').update(sql).digest('hex'),
      ])
    },
  })
  if (!sql) return
  // The planner knows nothing of rows that came a moment ago: until it looked, a page reads its whole channel.
  await client.query('analyze')
  log.info('seeded', { file })
}
