import { createHash } from 'node:crypto'
import { existsSync, readFileSync, watch, type FSWatcher } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../config/loadConfig.ts'
import type { Logger } from '../logging/logger.ts'
import { migrate } from '../postgres/schema/migrate.ts'
import {
  listMigrations,
  rejectDuplicateVersions,
  type MigrationFile,
} from '../postgres/schema/migrationFiles.ts'
import { splitStatements } from '../postgres/schema/splitStatements.ts'

/** An editor may write a file in several steps. */
const quietMs = 150

const digestOf = (path: string): string =>
  existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''

interface WatchOptions {
  supabaseDir: string
  dataDir: string
  dbUrl: string
  log: Logger
}

/**
 * Takes up what a developer changes in a supabase folder whose migrations are all applied: a new migration is
 * applied once it holds a statement; of what can't be taken up it says what to do. Nothing that is wrong there ends the
 * server. Functions are watched by those who run them. `close` resolves when nothing is under way.
 */
export function watchProject(o: WatchOptions): { close(): Promise<void> } {
  const folder = join(o.supabaseDir, 'migrations')
  const configFiles = ['config.toml', 'linnet.toml'].map((name) => join(o.supabaseDir, name))
  const list = (): MigrationFile[] => listMigrations(o.supabaseDir).migrations
  /** Contents as they were applied, or as they were last spoken of. */
  const known = new Map(list().map((migration) => [migration.version, digestOf(migration.path)]))
  let config = configFiles.map(digestOf).join()

  const takeUpMigrations = async (): Promise<void> => {
    const found = list()
    rejectDuplicateVersions(found)
    for (const { version, file, path } of found) {
      const digest = digestOf(path)
      if (!known.has(version) || known.get(version) === digest) continue
      known.set(version, digest)
      o.log.warn('migration changed', {
        file,
        why: 'it is applied already; write a new one, or begin anew with "linnet reset"',
      })
    }
    for (const version of known.keys()) {
      if (found.some((migration) => migration.version === version)) continue
      known.delete(version)
      o.log.warn('migration gone', {
        version,
        why: 'it is applied: put the file back, or begin anew with "linnet reset"',
      })
    }
    const fresh = found.filter(({ version }) => !known.has(version))
    // "migration new" makes an empty file, which would count as applied before a word is written.
    const isEmpty = ({ path }: MigrationFile): boolean =>
      splitStatements(readFileSync(path, 'utf8')).length === 0
    if (fresh.length === 0 || fresh.some(isEmpty)) return
    await migrate({
      postgres: { config: () => ({ connectionString: o.dbUrl }), dataDir: o.dataDir },
      dir: o.supabaseDir,
      log: o.log,
    })
    for (const { version, path } of fresh) known.set(version, digestOf(path))
  }

  const takeUpConfig = (): void => {
    const digest = configFiles.map(digestOf).join()
    if (digest === config) return
    config = digest
    for (const remark of loadConfig(o.supabaseDir).remarks) o.log.warn('config.toml', { remark })
    o.log.warn('config.toml changed', { why: 'functions take it up at once, all else at the next start' })
  }

  const takeUp = async (): Promise<void> => {
    for (const part of [takeUpConfig, takeUpMigrations]) {
      try {
        await part()
      } catch (error) {
        o.log.error('change not taken up', { why: (error as Error).message })
      }
    }
  }

  let timer: NodeJS.Timeout | undefined
  let working = Promise.resolve()
  const watchers = new Map<string, FSWatcher>()
  const onChange = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      watchFolder(folder)
      working = working.then(takeUp)
    }, quietMs)
  }
  const watchFolder = (path: string): void => {
    if (watchers.has(path) || !existsSync(path)) return
    let watcher: FSWatcher
    try {
      watcher = watch(path, onChange)
    } catch (error) {
      // The system's limit of watched folders, or a folder that has just gone: an exception in a timer ends the server.
      o.log.warn('folder not watched', { path, why: (error as Error).message })
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
      await working
    },
  }
}
