import { createHash } from 'node:crypto'
import { existsSync, readFileSync, watch, type FSWatcher } from 'node:fs'
import { join } from 'node:path'
import { configFileNames } from '../config/configFile.ts'
import { loadConfig } from '../config/loadConfig.ts'
import type { Logger } from '../logging/logger.ts'
import { migrate } from '../postgres/schema/migrate.ts'
import {
  listMigrations,
  rejectDuplicateVersions,
  type MigrationFile,
} from '../postgres/schema/migrationFiles.ts'
import { splitStatements } from '../postgres/schema/splitStatements.ts'

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
 * Watches a supabase folder whose migrations are all applied. A new migration is applied once it contains a statement;
 * for changes that can't be applied it logs what to do. No error ends the server. The functions service watches
 * functions itself. `close` resolves when no change is being applied.
 */
export function watchProject(o: WatchOptions): { close(): Promise<void> } {
  const folder = join(o.supabaseDir, 'migrations')
  const configFiles = [...configFileNames, 'linnet.toml'].map((name) => join(o.supabaseDir, name))
  const list = (): MigrationFile[] => listMigrations(o.supabaseDir).migrations
  /** Digests of the files as they were applied or last logged. */
  const digests = new Map(list().map((migration) => [migration.version, digestOf(migration.path)]))
  let config = configFiles.map(digestOf).join()

  const applyMigrations = async (): Promise<void> => {
    const found = list()
    rejectDuplicateVersions(found)
    for (const { version, file, path } of found) {
      const digest = digestOf(path)
      if (!digests.has(version) || digests.get(version) === digest) continue
      digests.set(version, digest)
      o.log.warn('schema.migration_changed', {
        file,
        reason: 'it is already applied; write a new migration, or run "linnet reset"',
      })
    }
    for (const version of digests.keys()) {
      if (found.some((migration) => migration.version === version)) continue
      digests.delete(version)
      o.log.warn('schema.migration_deleted', {
        version,
        reason: 'it is applied; restore the file, or run "linnet reset"',
      })
    }
    const added = found.filter(({ version }) => !digests.has(version))
    // "migration new" creates an empty file, which would be recorded as applied before it is written.
    const isEmpty = ({ path }: MigrationFile): boolean =>
      splitStatements(readFileSync(path, 'utf8')).length === 0
    if (added.length === 0 || added.some(isEmpty)) return
    await migrate({
      postgres: { config: () => ({ connectionString: o.dbUrl }), dataDir: o.dataDir },
      dir: o.supabaseDir,
      log: o.log,
    })
    for (const { version, path } of added) digests.set(version, digestOf(path))
  }

  const checkConfig = (): void => {
    const digest = configFiles.map(digestOf).join()
    if (digest === config) return
    config = digest
    for (const warning of loadConfig(o.supabaseDir).warnings)
      o.log.warn('server.config_warning', { reason: warning })
    o.log.warn('server.config_changed', {
      reason: 'it takes effect at once for functions, and at the next start for everything else',
    })
  }

  const applyChanges = async (): Promise<void> => {
    for (const step of [checkConfig, applyMigrations]) {
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

  return {
    async close() {
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
      await applying
    },
  }
}
