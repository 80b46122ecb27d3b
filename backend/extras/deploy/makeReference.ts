import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import { migrate } from '../../postgres/schema/migrate.ts'
import type { MigrationFile } from '../../postgres/schema/migrationFiles.ts'
import { temporaryPostgres } from '../../postgres/server/temporaryPostgres.ts'
import { readCatalogue, type Catalogue } from './readCatalogue.ts'

/** What a home is before migrations, and what they make of it. */
export interface Reference {
  before: Catalogue
  after: Catalogue
}

/** Names in `create extension`, of migrations that ask for what this home brings along anyway. */
const asksForExtension = /\bcreate\s+extension\s+(?:if\s+not\s+exists\s+)?"?([\w-]+)"?/gi

/** An extension that migrations ask for is theirs, although it was here before them. */
function withoutExtensions(before: Catalogue, migrations: readonly MigrationFile[]): Catalogue {
  const rest = new Map(before)
  for (const { path } of migrations) {
    for (const [, name] of readFileSync(path, 'utf8').matchAll(asksForExtension))
      rest.delete(`extension ${name}`)
  }
  return rest
}

const silent: Logger = { info() {}, warn() {}, error() {} }

/**
 * Runs migrations on a PostgreSQL of their own, which is gone afterwards, and reads what came of it. Throws
 * StartError where it can't be started, MigrationError where a migration fails.
 */
export async function makeReference(migrations: readonly MigrationFile[]): Promise<Reference> {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-reference-'))
  mkdirSync(join(dir, 'migrations'))
  for (const { path, file } of migrations) copyFileSync(path, join(dir, 'migrations', file))
  // What config.toml says of new tables and of roles decides what migrations make.
  for (const file of ['config.toml', 'roles.sql']) {
    const own = migrations.map(({ path }) => join(dirname(path), '..', file)).find((path) => existsSync(path))
    if (own !== undefined) copyFileSync(own, join(dir, file))
  }
  try {
    const postgres = await temporaryPostgres()
    try {
      const look = async (): Promise<Catalogue> => {
        const client = new Client(postgres.config('postgres'))
        await client.connect()
        return readCatalogue(client).finally(() => client.end())
      }
      const before = await look()
      await migrate({ postgres: { config: postgres.config }, dir, log: silent })
      return { before: withoutExtensions(before, migrations), after: await look() }
    } finally {
      await postgres.stop()
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
