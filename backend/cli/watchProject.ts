import { createHash } from 'node:crypto'
import { existsSync, readFileSync, watch, type FSWatcher } from 'node:fs'
import { dirname, join } from 'node:path'
import { configFileNames } from '../config/configFile.ts'
import { loadConfig } from '../config/loadConfig.ts'
import { isIncomplete } from '../optional/schemaDiff/diffMigration.ts'
import type { Logger } from '../logging/logger.ts'
import { migrate } from '../postgres/schema/migrate.ts'
import {
  listMigrations,
  rejectDuplicateVersions,
  type MigrationFile,
} from '../postgres/schema/migrationFiles.ts'
import { connectToUrl } from '../postgres/connections/connectToUrl.ts'
import { listSchemaFiles, type SchemaFile } from '../postgres/schema/schemaFiles.ts'
import { splitStatements, type Statement } from '../postgres/schema/splitStatements.ts'
import { applySchemaChange } from '../optional/schemaDiff/applySchemaChange.ts'
import { commandName } from '../runtime/commandName.ts'

/** Waits this long after the last event, as an editor may write a file in several steps. */
const debounceMs = 150

const digestOf = (path: string): string =>
  existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''

interface WatchOptions {
  supabaseDir: string
  dataDir: string
  dbUrl: string
  log: Logger
}

/**
 * Watches a supabase folder whose migrations are all applied. A new migration is applied once it contains a statement. Of
 * a saved schema file, functions, triggers, policies, views, comments and grants are applied. For changes that can't be
 * applied it logs what to do. No error ends the server. The functions service watches
 * functions itself. `close` resolves when no change is being applied.
 */
export function watchProject(o: WatchOptions): { close(): Promise<void> } {
  const folder = join(o.supabaseDir, 'migrations')
  const configFiles = [...configFileNames, 'linnet.toml'].map((name) => join(o.supabaseDir, name))
  const list = (): MigrationFile[] => listMigrations(o.supabaseDir).migrations
  /** Digests of the files as they were applied or last logged. */
  const digests = new Map(list().map((migration) => [migration.version, digestOf(migration.path)]))
  let config = configFiles.map(digestOf).join()
  const listSchema = (): SchemaFile[] => listSchemaFiles(loadConfig(o.supabaseDir)).files
  const readStatements = ({ path }: SchemaFile): Statement[] => splitStatements(readFileSync(path, 'utf8'))
  /** The statements of the schema files as they were applied or last logged, by file. */
  const schema = new Map<string, Statement[]>()

  const applyMigrations = async (): Promise<void> => {
    const found = list()
    rejectDuplicateVersions(found)
    for (const { version, file, path } of found) {
      const digest = digestOf(path)
      if (!digests.has(version) || digests.get(version) === digest) continue
      digests.set(version, digest)
      o.log.warn('schema.migration_changed', {
        file,
        reason: `it is already applied; write a new migration, or run "${commandName()} reset"`,
      })
    }
    for (const version of digests.keys()) {
      if (found.some((migration) => migration.version === version)) continue
      digests.delete(version)
      o.log.warn('schema.migration_deleted', {
        version,
        reason: `it is applied; restore the file, or run "${commandName()} reset"`,
      })
    }
    const added = found.filter(({ version }) => !digests.has(version))
    // "migration new" creates an empty file, which would be recorded as applied before it is written.
    const isEmpty = ({ path }: MigrationFile): boolean =>
      splitStatements(readFileSync(path, 'utf8')).length === 0
    if (added.length === 0 || added.some(isEmpty)) return
    // Once applied, it could not be completed.
    if (added.some(({ path }) => isIncomplete(readFileSync(path, 'utf8')))) return
    await migrate({
      postgres: { config: () => ({ connectionString: o.dbUrl }), dataDir: o.dataDir },
      dir: o.supabaseDir,
      log: o.log,
    })
    for (const { version, path } of added) digests.set(version, digestOf(path))
  }

  const applySchemaFiles = async (): Promise<void> => {
    for (const file of listSchema()) {
      watchFolder(dirname(file.path))
      const statements = readStatements(file)
      const previous = schema.get(file.name) ?? []
      if (
        JSON.stringify(previous.map(({ text }) => text)) ===
        JSON.stringify(statements.map(({ text }) => text))
      )
        continue
      const client = await connectToUrl(o.dbUrl, 'linnet start --dev')
      try {
        const { applied, pending } = await applySchemaChange({
          client,
          file: file.name,
          previous,
          statements,
        })
        schema.set(file.name, statements)
        if (applied > 0) o.log.info('schema.file_applied', { file: file.name, statements: applied })
        for (const { line, statement, reason } of pending) {
          o.log.warn('schema.migration_needed', {
            file: file.name,
            line,
            statement,
            reason: `${reason}; generate a migration with "${commandName()} migration diff NAME"`,
          })
        }
      } finally {
        await client.end()
      }
    }
  }

  const checkConfig = (): void => {
    const digest = configFiles.map(digestOf).join()
    if (digest === config) return
    config = digest
    for (const warning of loadConfig(o.supabaseDir, o.dataDir).warnings)
      o.log.warn('server.config_warning', { reason: warning })
    o.log.warn('server.config_changed', {
      reason: 'it takes effect at once for functions, and at the next start for everything else',
    })
  }

  const applyChanges = async (): Promise<void> => {
    for (const step of [checkConfig, applyMigrations, applySchemaFiles]) {
      try {
        await step()
      } catch (error) {
        o.log.error('server.change_failed', { reason: (error as Error).message })
      }
    }
  }

  let timer: NodeJS.Timeout | undefined
  let applying = Promise.resolve()
  const watchers = new Map<string, FSWatcher>()
  const onChange = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      watchFolder(folder)
      applying = applying.then(applyChanges)
    }, debounceMs)
  }
  const watchFolder = (path: string): void => {
    if (watchers.has(path) || !existsSync(path)) return
    let watcher: FSWatcher
    try {
      watcher = watch(path, onChange)
    } catch (error) {
      // The limit of watched directories is reached, or the directory was just deleted. Uncaught in a timer, this would end the server.
      o.log.warn('server.watch_failed', { path, reason: (error as Error).message })
      return
    }
    watcher.on('error', () => {
      watcher.close()
      watchers.delete(path)
    })
    watchers.set(path, watcher)
  }
  watchFolder(o.supabaseDir)
  watchFolder(folder)
  for (const file of listSchema()) {
    schema.set(file.name, readStatements(file))
    watchFolder(dirname(file.path))
  }

  return {
    async close() {
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
      await applying
    },
  }
}
