import { readFileSync } from 'node:fs'
import { Client, type ClientConfig } from 'pg'
import { loadConfig, type Config } from '../../config/loadConfig.ts'
import type { Logger } from '../../logging/logger.ts'
import { adoptMigration } from './adoptMigration.ts'
import { createHistoryTables } from './historyTables.ts'
import { findPending, listMigrations, type MigrationFile } from './migrationFiles.ts'
import { readApplied } from './readApplied.ts'
import { findReplacement } from './replacedMigrations.ts'
import { runOneTimeFiles, registerOneTimeFiles } from './oneTimeFiles.ts'
import { runStatements } from './runStatements.ts'
import { finishSchemaChange } from './schemaDigest.ts'
import { defaultSeeds, findRolesFile, listSeeds, type OneTimeFile } from './seedFiles.ts'
import { splitStatements } from './splitStatements.ts'
import { logSchemaWarnings } from './logSchemaWarnings.ts'
import type { Postgres } from '../server/startPostgres.ts'

interface MigrateOptions {
  postgres: Pick<Postgres, 'config'> & { dataDir?: string }
  /** The superuser, who creates a database to compare with if a migration replaces others. */
  admin?: ClientConfig
  /** A supabase folder: `migrations/`, `roles.sql`, seed files. */
  dir: string
  /** The configuration of the folder. By default it is read from its config.toml. */
  config?: Config
  /** Whether to run the seed files if no migration was ever applied to these data. */
  seed?: boolean
  /** Only these versions are applied. By default all are. */
  versions?: readonly string[]
  log: Logger
}

/**
 * Applies the migrations of a supabase folder as `postgres`, in order. Each runs once, in a transaction of its own.
 * For new data, `roles.sql` runs before them and the seed files of `[db.seed]` after them. A migration that replaces
 * recorded ones is recorded in their place. Throws StartError
 * (MigrationError with file, line and reason if a statement fails) or ConfigError.
 */
export async function migrate(o: MigrateOptions): Promise<{ applied: string[] }> {
  const { log } = o
  const config = o.config ?? loadConfig(o.dir, o.postgres.dataDir)
  const listed = listMigrations(o.dir)
  const isChosen = ({ version }: MigrationFile): boolean => o.versions?.includes(version) ?? true
  const migrations = config.at('db.migrations.enabled', true) ? listed.migrations.filter(isChosen) : []
  for (const file of listed.skipped) {
    log.warn('schema.migration_skipped', { file, reason: 'the name must be <version>_<name>.sql' })
  }
  const roles = findRolesFile(o.dir)
  const seeds = o.seed === true ? findSeeds(config, log) : []
  const unlock = await lockMigrations(o.postgres.config('postgres'))
  const client = new Client({ ...o.postgres.config('postgres'), application_name: 'migrate' })
  client.on('error', () => {})
  try {
    await client.connect()
    let recorded = await readApplied(client)
    const replacement = findReplacement(migrations, recorded ?? [])
    if (replacement) {
      await adoptMigration({
        client,
        replacement,
        owner: o.postgres.config('postgres'),
        admin: o.admin ?? null,
        async prepare(scratch) {
          if (config.at('api.auto_expose_new_tables', true)) await grantDefaultPrivileges(scratch)
        },
      })
      log.info('schema.migrations_replaced', {
        file: replacement.migration.file,
        replaced: replacement.replaced.length,
      })
      recorded = await readApplied(client)
    }
    const pending = findPending(migrations, recorded ?? [])
    const isNew = recorded === null
    await client.query(`begin; set local client_min_messages to warning; ${createHistoryTables}`)
    if (isNew) await registerOneTimeFiles(client, roles ? [roles, ...seeds] : seeds)
    if (config.at('api.auto_expose_new_tables', isNew)) await grantDefaultPrivileges(client)
    await client.query('commit')
    if (roles) await runOneTimeFiles(client, [roles], log)
    for (const [i, migration] of pending.entries()) {
      const following = [...pending.slice(i + 1), ...seeds].map((file) => file.path)
      await apply(client, migration, following, log)
      log.info('schema.migration_applied', { file: migration.file })
    }
    // Without statistics of the seeded rows, the planner reads a whole channel for each page.
    if ((await runOneTimeFiles(client, seeds, log)) > 0) await client.query('analyze')
    await logSchemaWarnings(client, config, migrations.length, log)
    if (o.postgres.dataDir !== undefined) finishSchemaChange(o.postgres.dataDir, o.dir)
    return { applied: pending.map((migration) => migration.file) }
  } finally {
    await client.end()
    await unlock()
  }
}

function findSeeds(config: Config, log: Logger): OneTimeFile[] {
  const { files, unmatched } = listSeeds(config.dir, config.at('db.seed.sql_paths', [...defaultSeeds]))
  for (const pattern of unmatched.filter((pattern) => !defaultSeeds.includes(pattern))) {
    log.warn('schema.seed_missing', { pattern, reason: 'db.seed.sql_paths names no file by it' })
  }
  return files
}

async function apply(
  client: Client,
  migration: MigrationFile,
  following: string[],
  log: Logger,
): Promise<void> {
  const statements = splitStatements(readFileSync(migration.path, 'utf8'))
  // Session settings of the previous file must not affect this one.
  await client.query('discard all')
  await runStatements({
    client,
    file: migration.file,
    statements,
    following,
    notice: (sentence) => log.warn('schema.migration_notice', { notice: sentence }),
    async record() {
      await client.query('reset role; select linnet_platform.assert_services_intact()')
      await client.query(
        'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)',
        [migration.version, migration.name, statements.map((statement) => statement.text)],
      )
    },
  })
}

/** An arbitrary key that no other advisory lock uses. */
const lock = 4_280_006

/**
 * Waits until no other process migrates this database, such as `migration up` beside `start --dev`. Returns a
 * function that releases the lock. A separate connection holds the lock, since `discard all` runs before each file.
 */
async function lockMigrations(config: ClientConfig): Promise<() => Promise<void>> {
  const client = new Client({ ...config, application_name: 'migrate: lock' })
  client.on('error', () => {})
  await client.connect()
  await client.query(`set statement_timeout to 0; select pg_advisory_lock(${lock})`)
  return () => client.end()
}

/**
 * Applies `[api] auto_expose_new_tables`: grants the API roles access to objects that migrations create in `public`.
 * Like the Supabase CLI, an unset key counts as true. It then applies to new data only, since a migration may have
 * changed the default privileges of existing data. With false each migration must grant access itself, as on hosted
 * projects since 2026. Existing grants are not revoked.
 * @param client of postgres
 */
async function grantDefaultPrivileges(client: Client): Promise<void> {
  const roles = 'anon, authenticated, service_role'
  const grant = 'alter default privileges for role postgres in schema public grant all on'
  await client.query(
    ['tables', 'sequences', 'functions'].map((kind) => `${grant} ${kind} to ${roles}`).join(';'),
  )
}
