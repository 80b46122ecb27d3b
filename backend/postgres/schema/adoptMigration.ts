import { readFileSync } from 'node:fs'
import { Client, type ClientConfig } from 'pg'
import { compareExactly, describeDifference, type Difference } from '../catalogue/compareExactly.ts'
import { readCatalogue, type Catalogue, type CatalogueEntry } from '../catalogue/readCatalogue.ts'
import { createPool } from '../connections/pool.ts'
import { StartError } from '../server/StartError.ts'
import { createHistoryTables } from './historyTables.ts'
import { migratePlatform } from './migratePlatform.ts'
import type { MigrationFile } from './migrationFiles.ts'
import type { Replacement } from './replacedMigrations.ts'
import { runStatements } from './runStatements.ts'
import { splitStatements, type Statement } from './splitStatements.ts'
import { commandName } from '../../runtime/commandName.ts'

/** The name of the database that exists while the catalogues are compared. */
const scratchName = 'linnet_adoption'

/** At most this many differences are named. */
const maxNamed = 5

const listOf = (versions: readonly string[]): string =>
  versions.length > 3
    ? `${versions.slice(0, 3).join(', ')} and ${versions.length - 3} more`
    : versions.join(', ')

/**
 * Records a migration in place of the migrations that it replaces, without running it, in one transaction. Before, it
 * compares the catalogue of the database with the catalogue that the migration creates in a database of its own on the
 * same server. Throws StartError if the versions or the catalogues differ; nothing is changed then.
 * @param o.client of postgres, in the database
 * @param o.admin of supabase_admin; null if the caller has no superuser
 */
export async function adoptMigration(o: {
  client: Client
  replacement: Replacement
  owner: ClientConfig
  admin: ClientConfig | null
  /** Prepares the new database in the same way as new data. */
  prepare: (client: Client) => Promise<void>
}): Promise<void> {
  const { client, replacement } = o
  const { migration, replaced, missing, unknown } = replacement
  const { file } = migration
  if (missing.length > 0) {
    throw new StartError(
      `${file} replaces migrations that the database lacks: ${listOf(missing)}. Nothing was changed. ` +
        'First start the version that has these files, and then this version again.',
    )
  }
  if (unknown.length > 0) {
    throw new StartError(
      `${file} replaces the migrations of the database, but the database also has ${listOf(unknown)}, which the folder lacks. ` +
        'Nothing was changed. Undo these migrations with the version or branch that has their files, and start this version again.',
    )
  }
  if (o.admin === null) {
    throw new StartError(
      `${file} replaces the migrations of the database. Nothing was changed. ` +
        `Stop the server and run "${commandName()} start", which compares both first.`,
    )
  }
  const differences = await compareWithScratch({ ...o, admin: o.admin })
  if (differences.length > 0) {
    const more = differences.length - maxNamed
    throw new StartError(
      `${file} replaces the migrations of the database, but the database differs from the result of this file. Nothing was changed.\n` +
        differences
          .slice(0, maxNamed)
          .map((difference) => `- ${describeDifference(difference)}\n`)
          .join('') +
        (more > 0 ? `- and ${more} more\n` : '') +
        `Start the previous version, undo these changes in the database (${commandName()} db psql), and start this version again.`,
    )
  }
  const statements = splitStatements(readFileSync(migration.path, 'utf8')).map(({ text }) => text)
  await client.query('begin')
  try {
    await client.query('delete from supabase_migrations.schema_migrations where version = any($1)', [
      replaced,
    ])
    await client.query(
      'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)',
      [migration.version, migration.name, statements],
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** Creates the database, compares, and drops the database, also one that a crash has left. */
async function compareWithScratch(o: {
  client: Client
  replacement: Replacement
  owner: ClientConfig
  admin: ClientConfig
  prepare: (client: Client) => Promise<void>
}): Promise<Difference[]> {
  // Read first: settings of roles belong to the server, and the migration sets them until it is rolled back.
  const target = await readCatalogue(o.client)
  const server = new Client(o.admin)
  server.on('error', () => {})
  await server.connect()
  try {
    await server.query(`drop database if exists ${scratchName} with (force)`)
    await server.query(`create database ${scratchName} template template0`)
    const { before, after } = await readScratch(o)
    return compareExactly(...selectOwn({ before, after, target }))
  } finally {
    await server.query(`drop database if exists ${scratchName} with (force)`).catch(() => {})
    await server.end()
  }
}

/** The catalogues of the platform alone, and with the migration, which is rolled back. */
async function readScratch({
  replacement: { migration, later },
  owner,
  admin,
  prepare,
}: {
  replacement: Replacement
  owner: ClientConfig
  admin: ClientConfig
  prepare: (client: Client) => Promise<void>
}): Promise<{ before: Catalogue; after: Catalogue }> {
  const platform = createPool({ ...admin, database: scratchName }, { max: 1, name: 'adoption' })
  await migratePlatform(platform).finally(() => platform.end())
  const client = new Client({ ...owner, database: scratchName })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`set client_min_messages to warning; ${createHistoryTables}`)
    await prepare(client)
    const before = await readCatalogue(client)
    let after = before
    await runStatements({
      client,
      file: migration.file,
      statements: [migration, ...later].flatMap(readStatements),
      notice() {},
      async record() {
        await client.query('reset role')
        after = await readCatalogue(client)
      },
      isTrial: true,
    })
    return { before, after }
  } finally {
    await client.end()
  }
}

const readStatements = ({ path }: MigrationFile): Statement[] => splitStatements(readFileSync(path, 'utf8'))

/**
 * The facts to compare: everything outside of the schemas of the platform, and what the migration creates or changes inside
 * them. Within its own schemas the platform creates partitions day by day. A policy there can give access, so it always
 * counts.
 */
function selectOwn({
  before,
  after,
  target,
}: {
  before: Catalogue
  after: Catalogue
  target: Catalogue
}): [Catalogue, Catalogue] {
  const platformSchemas = new Set(
    [...before.values()]
      .filter(({ kind, name }) => kind === 'schema' && name !== 'public')
      .map(({ name }) => name),
  )
  const isOutside = ({ schema }: CatalogueEntry): boolean => schema !== null && !platformSchemas.has(schema)
  const isOwn = (key: string, fact: CatalogueEntry): boolean =>
    isOutside(fact) || before.get(key)?.value !== after.get(key)?.value
  const select = (catalogue: Catalogue): Catalogue =>
    new Map(
      [...catalogue].filter(
        ([key, fact]) => isOwn(key, fact) || (fact.kind === 'policy' && !before.has(key)),
      ),
    )
  return [select(after), select(target)]
}
