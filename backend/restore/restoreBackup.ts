import { randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { asBackupError, BackupError } from '../backup/BackupError.ts'
import { syncFolder } from '../runtime/durableFiles.ts'
import type { BackupManifest } from '../backup/repository/manifest.ts'
import { openRepository, type Repository } from '../backup/repository/openRepository.ts'
import { createStoredFiles, readPart, verifyParts } from '../backup/repository/readStored.ts'
import { countRows } from '../backup/source/rowCounts.ts'
import { toLastBackup, writeBackupState, type LastBackup } from '../backup/state.ts'
import { replaceWriter } from '../backup/target/writer.ts'
import {
  allowPassage,
  createDataFolder,
  hasIncompleteRestore,
  partialFolder,
  partialMark,
} from '../postgres/server/dataFolder.ts'
import { lockData, type DataLock } from '../postgres/server/dataLock.ts'
import { postgresUser } from '../postgres/server/osUser.ts'
import { isAlive } from '../postgres/server/processIdentity.ts'
import { startPostgres, type Postgres } from '../postgres/server/startPostgres.ts'
import { writeRestoreMarker } from './marker.ts'
import { prepareRecovery, readRecoveredTo, targetNotReached, type Recovery } from './recovery.ts'
import { unpack } from './unpack.ts'
import type { SelectedBackup } from './selectBackup.ts'

/** Receives the progress of a restore, for a terminal or a program. */
export interface RestoreProgress {
  step(title: string, o?: { totalBytes?: number }): void
  advance(bytes: number): void
}

export interface RestoreOptions {
  /** The folder of the repository. */
  from: string
  selected: SelectedBackup
  /** Private keys `AGE-SECRET-KEY-1…`. */
  identities: readonly string[]
  /** The new data folder, which must not exist or must be empty. */
  dataDir: string
  /** The moment to restore; null: the latest state. */
  at: Date | null
  progress: RestoreProgress
  signal?: AbortSignal
}

/** Which files are restored: all are written, or only read, or only a sample of them is read. */
export type FileMode = 'write' | 'read' | 'sample'

/** What was restored. */
export interface Restored {
  backup: string
  /** The moment whose state was restored. */
  recoveredTo: Date
  /** By table. */
  rows: Record<string, number>
  files: number
  fileBytes: number
  /** Number of files that rows name and the repository does not have. */
  missing: number
  /** The names of the first missing files, `bucket/path`. */
  missingNames: string[]
  /** Whether everybody has to sign in again. */
  hasEndedSessions: boolean
}

/** The names of missing files that are reported. */
const maxMissingNames = 20
const filesPerQuery = 2_000
/** Files that a quick check reads. Of the others it only checks that they exist. */
const sampledFiles = 500
/** Free space that a restore needs beside the data. */
const reserveBytes = 64 * 1024 * 1024

/**
 * Restores a backup into a data folder that is missing or empty, and may be a mount point. Everything is written into a folder
 * in it, whose entries are moved at the end. Until then no server starts on the data, and another restore begins again. An error
 * removes everything. Nothing is sent to other servers meanwhile, and the restored server starts with everything outgoing
 * paused. Throws BackupError, or StartError where another process uses the folder.
 */
export async function restoreBackup(o: RestoreOptions): Promise<Restored> {
  const { dataDir } = o
  let created: string[] = []
  let lock: DataLock | null = null
  let isEmptied = false
  try {
    created = createDataFolder(dataDir)
    lock = await lockData(dataDir)
    await emptyFolder(dataDir)
    isEmptied = true
    if (process.getuid!() === 0) allowPassage(dataDir)
    const partial = join(dataDir, partialFolder)
    const restored = await restorePartial(partial, o, 'write')
    await moveEntries(partial, dataDir)
    for (const folder of created) await syncFolder(dirname(folder))
    lock.release()
    return restored
  } catch (error) {
    if (isEmptied) {
      await removeEntries(dataDir, partialFolder)
      await rm(join(dataDir, 'linnet.flock'), { force: true })
    }
    lock?.release()
    // Another process may use them meanwhile.
    for (const folder of created.toReversed()) await rmdir(folder).catch(() => {})
    throw asBackupError(error, dataDir)
  }
}

/** Entries of an empty data folder: its locks, and what a file system creates in its root. */
const ignoredEntries = new Set(['linnet.lock', 'linnet.flock', 'lost+found'])

/** Removes what an interrupted restore has left behind. Throws BackupError where the folder contains anything else. */
async function emptyFolder(dataDir: string): Promise<void> {
  if (hasIncompleteRestore(dataDir)) await removeEntries(dataDir, partialFolder)
  const names = (await readdir(dataDir)).filter((name) => !ignoredEntries.has(name))
  if (names.length > 0)
    throw new BackupError(
      `${dataDir} is not empty. Restore into a new folder (--data), or move the old data away first.`,
    )
}

/** Moves a complete restore into its data folder. The mark is removed last. */
async function moveEntries(partial: string, dataDir: string): Promise<void> {
  for (const name of await readdir(partial)) {
    if (name === partialMark) continue
    if (ignoredEntries.has(name)) await rm(join(partial, name), { recursive: true })
    else await rename(join(partial, name), join(dataDir, name))
  }
  await syncFolder(dataDir)
  await rm(join(partial, partialMark))
  await rmdir(partial)
  await syncFolder(dataDir)
}

/** Removes the entries of a folder. `last` is removed last, so that an interruption leaves the mark. */
async function removeEntries(folder: string, last: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => !ignoredEntries.has(name))
  for (const name of names.filter((one) => one !== last))
    await rm(join(folder, name), { recursive: true, force: true })
  if (!names.includes(last)) return
  const path = join(folder, last)
  if ((await stat(path)).isDirectory()) await removeEntries(path, partialMark)
  await rm(path, { recursive: true, force: true })
}

/** Restores into a folder that is removed afterwards, without writing the files of storage. Throws BackupError. */
export async function restoreScratch(
  folder: string,
  o: Omit<RestoreOptions, 'dataDir'>,
  files: Exclude<FileMode, 'write'>,
): Promise<Restored> {
  try {
    return await restorePartial(folder, { ...o, dataDir: folder }, files)
  } catch (error) {
    throw asBackupError(error, folder)
  } finally {
    if (existsSync(join(folder, partialMark))) await rm(folder, { recursive: true, force: true })
  }
}

async function restorePartial(partial: string, o: RestoreOptions, files: FileMode): Promise<Restored> {
  await removePartial(partial)
  await requireFreeSpace(o)
  o.progress.step('Checking the backup')
  await verifyParts(o.from, o.selected.manifest)
  await mkdir(partial, { recursive: true, mode: 0o711 })
  await writeFile(join(partial, partialMark), '')
  return restoreInto(partial, o, files)
}

async function removePartial(partial: string): Promise<void> {
  if (!existsSync(partial)) return
  if (!existsSync(join(partial, partialMark)))
    throw new BackupError(`${partial} exists already. Move it away, or choose another folder with --data.`)
  await rm(partial, { recursive: true })
}

/** Throws BackupError where the disk of the data folder has too little space for the restored database. */
export async function requireFreeSpace(o: Pick<RestoreOptions, 'selected' | 'dataDir'>): Promise<void> {
  const { manifest, wal } = o.selected
  const ofWal = wal.reduce((sum, { start, end }) => sum + Number(end - start), 0)
  const needed = manifest.parts.base.plainBytes + manifest.parts.settings.plainBytes + ofWal + reserveBytes
  let folder = o.dataDir
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < needed)
    throw new BackupError(
      `The restore needs at least ${renderGiB(needed)} in ${folder}, and ${renderGiB(bavail * bsize)} are free. ` +
        'Free some space, or choose another folder with --data.',
    )
}

const renderGiB = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(2)} GiB`

async function restoreInto(partial: string, o: RestoreOptions, files: FileMode): Promise<Restored> {
  const { from, identities, progress } = o
  const { manifest } = o.selected
  const onBytes = (bytes: number): void => {
    o.signal?.throwIfAborted()
    progress.advance(bytes)
  }
  progress.step('Restoring settings and keys', { totalBytes: manifest.parts.settings.plainBytes })
  await unpack(readPart(from, manifest, 'settings', identities), partial, null, onBytes)
  const data = join(partial, 'postgres')
  const user = postgresUser(data, o.dataDir)
  progress.step('Restoring the database', { totalBytes: manifest.parts.base.plainBytes })
  const owner = user.isSwitched ? { uid: user.uid, gid: user.gid } : null
  await unpack(readPart(from, manifest, 'base', identities), data, owner, onBytes)
  progress.step('Restoring the changes since the backup')
  const recovery = await prepareRecovery(data, o, { owner, isScratch: files !== 'write' })
  o.signal?.throwIfAborted()
  const { postgres, recoveredTo } = await recover(partial, recovery, manifest)
  try {
    return await completeData(partial, postgres, recoveredTo, o, files)
  } finally {
    // At once: what a clean shutdown writes is removed.
    if (files !== 'write' && isAlive(postgres.pid)) process.kill(postgres.pid, 'SIGQUIT')
    await postgres.stop()
    await recovery.finish()
  }
}

/** Starts PostgreSQL, which replays the log up to the moment and begins a new timeline. */
async function recover(
  partial: string,
  recovery: Recovery,
  manifest: BackupManifest,
): Promise<{ postgres: Postgres; recoveredTo: Date }> {
  const lines: string[] = []
  const start = (): Promise<Postgres> =>
    startPostgres({
      dataDir: partial,
      log(line) {
        lines.push(line)
        if (lines.length > 1_000) lines.shift()
      },
    })
  const postgres = await start().catch(async (error: unknown) => {
    if (!lines.some((line) => line.includes(targetNotReached))) throw explain(error, lines, manifest)
    // Nothing was committed between the end of the log and the moment.
    await recovery.removeTarget()
    return start().catch((second: unknown) => {
      throw explain(second, lines, manifest)
    })
  })
  return { postgres, recoveredTo: readRecoveredTo(lines) ?? new Date(manifest.finishedAt) }
}

/** PostgreSQL's own words are the cause. */
function explain(error: unknown, lines: readonly string[], manifest: BackupManifest): BackupError {
  const line = lines.findLast((one) => /^(FATAL|PANIC):/.test(one)) ?? (error as Error).message
  const reason = line.replace(/\.?$/, '.')
  return new BackupError(
    `PostgreSQL can't recover the backup ${manifest.id}: ${reason} Restore another backup (--backup).`,
    { cause: error },
  )
}

async function completeData(
  partial: string,
  postgres: Postgres,
  recoveredTo: Date,
  o: RestoreOptions,
  mode: FileMode,
): Promise<Restored> {
  const client = new Client(postgres.config('supabase_admin'))
  client.on('error', () => {})
  await client.connect()
  try {
    // Backups without the log that follows them are older than what people did last, as is a chosen moment.
    const hasEndedSessions = o.at !== null || o.selected.wal.length === 0
    await discardPending(client, hasEndedSessions)
    o.progress.step(mode === 'write' ? 'Restoring files' : 'Reading files')
    const files = await restoreFiles(client, partial, o, mode)
    const rows = await countRows(client)
    const repository = await openRepository(o.from)
    await replaceWriter(partial, repository.info.writer)
    await writeBackupState(partial, 'backup', describeRestored(repository, partial, o.selected.manifest))
    writeRestoreMarker(partial, {
      id: randomUUID(),
      restoredAt: new Date().toISOString(),
      recoveredTo: recoveredTo.toISOString(),
      backup: o.selected.manifest.id,
    })
    return { backup: o.selected.manifest.id, recoveredTo, rows, ...files, hasEndedSessions }
  } finally {
    await client.end()
  }
}

/** The last backup of the restored data is the one from which they come. */
function describeRestored(repository: Repository, dataDir: string, manifest: BackupManifest): LastBackup {
  const { id, startedAt, finishedAt, parts } = manifest
  return toLastBackup(repository, dataDir, {
    id,
    at: finishedAt,
    durationMs: Date.parse(finishedAt) - Date.parse(startedAt),
    addedBytes: Object.values(parts).reduce((sum, { storedBytes }) => sum + storedBytes, 0),
  })
}

/** The tables of the platform whose rows are sent or run by the next start. The original has done so. */
const pendingTables = ['linnet_platform.mails', 'supabase_functions.invocations', 'net.http_request_queue']
/** Sessions, and what signs somebody in once. Some of them had ended after the restored moment. */
const sessionTables = ['auth.sessions', 'auth.one_time_tokens', 'auth.flow_state']

async function discardPending(client: Client, endsSessions: boolean): Promise<void> {
  const tables = [...pendingTables, ...(endsSessions ? sessionTables : [])]
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
    [tables],
  )
  for (const { name } of rows) await client.query(`delete from ${name}`)
}

interface ObjectRow {
  version: string
  name: string
}

/** Writes the files that the recovered rows name, sorted by version. */
async function restoreFiles(
  client: Client,
  partial: string,
  o: RestoreOptions,
  mode: FileMode,
): Promise<Pick<Restored, 'files' | 'fileBytes' | 'missing' | 'missingNames'>> {
  const result = { files: 0, fileBytes: 0, missing: 0, missingNames: [] as string[] }
  const { rows: known } = await client.query<{ known: boolean }>(
    `select to_regclass('storage.objects') is not null as known`,
  )
  if (!known[0]!.known) return result
  const stored = createStoredFiles(o.from, o.identities)
  const objects = join(partial, 'storage', 'objects')
  for (let after = ''; ;) {
    const { rows } = await client.query<ObjectRow>(
      `select version collate "C" as version, bucket_id || '/' || name as name from storage.objects
       where version collate "C" > $1 order by 1 limit $2`,
      [after, filesPerQuery],
    )
    for (const { version, name } of rows) {
      o.signal?.throwIfAborted()
      const bytes = /^[0-9a-f-]{36}$/.test(version) ? await stored.open(version) : null
      if (bytes === null) {
        result.missing++
        if (result.missingNames.length < maxMissingNames) result.missingNames.push(name)
        continue
      }
      result.files++
      if (mode === 'sample' && result.files > sampledFiles) continue
      const size = mode === 'write' ? await writeFileOf(objects, version, bytes) : await countBytes(bytes)
      result.fileBytes += size
      o.progress.advance(size)
    }
    const last = rows.at(-1)
    if (last === undefined) return result
    after = last.version
  }
}

async function writeFileOf(objects: string, version: string, bytes: AsyncIterable<Buffer>): Promise<number> {
  const folder = join(objects, version.slice(0, 2))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, version)
  await pipeline(bytes, createWriteStream(path, { mode: 0o600, flush: true }))
  return (await stat(path)).size
}

/** Reads a file, which fails where it was changed: its encryption authenticates each part. */
async function countBytes(bytes: AsyncIterable<Buffer>): Promise<number> {
  let size = 0
  for await (const chunk of bytes) size += chunk.length
  return size
}
