import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { configFileNames } from '../../config/configFile.ts'
import { noLogger } from '../../logging/logger.ts'
import { readCatalogue, type Catalogue } from '../../postgres/catalogue/readCatalogue.ts'
import { migrate } from '../../postgres/schema/migrate.ts'
import type { MigrationFile } from '../../postgres/schema/migrationFiles.ts'
import { temporaryPostgres } from '../../postgres/server/temporaryPostgres.ts'
import { selectPortableFacts } from './selectPortableFacts.ts'

/** The catalogue of a database before and after migrations. */
export interface ExpectedCatalogue {
  before: Catalogue
  after: Catalogue
}

/** Extensions that migrations create although this server already has them. */
const createExtensionPattern = /\bcreate\s+extension\s+(?:if\s+not\s+exists\s+)?"?([\w-]+)"?/gi

/** Counts extensions that migrations create as theirs, although they existed before. */
function withoutExtensions(before: Catalogue, migrations: readonly MigrationFile[]): Catalogue {
  const rest = new Map(before)
  for (const { path } of migrations) {
    for (const [, name] of readFileSync(path, 'utf8').matchAll(createExtensionPattern))
      rest.delete(`extension ${name}`)
  }
  return rest
}

/**
 * Runs migrations on a temporary PostgreSQL server and reads its catalogue. Throws StartError if it can't be started,
 * MigrationError if a migration fails.
 */
export async function createReference(migrations: readonly MigrationFile[]): Promise<ExpectedCatalogue> {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-reference-'))
  mkdirSync(join(dir, 'migrations'))
  for (const { path, file } of migrations) copyFileSync(path, join(dir, 'migrations', file))
  // The settings for new tables and roles affect the result of migrations.
  for (const file of [...configFileNames, 'roles.sql']) {
    const source = migrations
      .map(({ path }) => join(dirname(path), '..', file))
      .find((path) => existsSync(path))
    if (source !== undefined) copyFileSync(source, join(dir, file))
  }
  try {
    const postgres = await temporaryPostgres()
    try {
      const read = async (): Promise<Catalogue> => {
        const client = new Client(postgres.config('postgres'))
        await client.connect()
        return selectPortableFacts(await readCatalogue(client).finally(() => client.end()))
      }
      const before = await read()
      await migrate({ postgres: { config: postgres.config }, dir, log: noLogger })
      return { before: withoutExtensions(before, migrations), after: await read() }
    } finally {
      await postgres.stop()
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
