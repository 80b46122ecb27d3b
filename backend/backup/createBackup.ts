import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import { asBackupError, BackupError } from './BackupError.ts'
import { createFolder, replaceFile, syncFolder } from '../runtime/durableFiles.ts'
import { paths, renderBackupId, repositoryFormat } from './repository/layout.ts'
import { listBackups, type BackupManifest, type BackupPart, type RowCount } from './repository/manifest.ts'
import type { Repository } from './repository/openRepository.ts'
import { writeStored } from './repository/writeStored.ts'
import { removeExpired } from './retention/removeExpired.ts'
import type { Retention } from './retention/selectBackups.ts'
import { openBaseBackup } from './source/baseBackup.ts'
import { releaseRemoved, retainRemoved } from './source/retainedFiles.ts'
import { countRows } from './source/rowCounts.ts'
import { readSettings } from './source/settingsArchive.ts'
import { toLastBackup, writeBackupState, type LastBackup } from './state.ts'
import { createFreeSpace } from './target/requireFreeSpace.ts'
import { lockBackups, lockRepository } from './target/lockRepository.ts'
import { openOwnRepository, type OwnRepositoryOptions } from './target/openOwnRepository.ts'
import { listVersions, missingBytes, storeMissingFiles } from './target/storeFiles.ts'
import { openLog } from './target/writer.ts'

/** Receives the progress of a backup, for a terminal or a program. */
export interface BackupProgress {
  step(title: string, o?: { totalBytes?: number }): void
  advance(bytes: number): void
}

export interface BackupOptions extends OwnRepositoryOptions {
  /** The folder of the repository. */
  to: string
  /** The connection of the role `postgres`. */
  database: ClientConfig
  /** Of Linnet. */
  version: string
  installation: string
  retention: Retention
  /** Free space that stays on the disk of the repository. */
  reserveBytes: number
  progress: BackupProgress
  signal?: AbortSignal
}

/**
 * Adds a backup of database, files and settings to the repository, while the database is in use or while nothing else
 * uses it. Everything written is read back. A backup that fails or is killed leaves the repository as it was. Throws
 * BackupError.
 */
export async function createBackup(o: BackupOptions): Promise<LastBackup & { removed: string[] }> {
  const startedAt = new Date()
  try {
    return await createInRepository(o, startedAt)
  } catch (cause) {
    const hasDisappeared = (cause as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync(paths.info(o.to))
    const error = hasDisappeared
      ? new BackupError(`The backups in ${o.to} have disappeared. Check that their disk is mounted.`, {
          cause,
        })
      : asBackupError(cause, o.to)
    const reason =
      error instanceof BackupError ? error.message : `The backup failed: ${(error as Error).message}`
    await writeBackupState(o.dataDir, 'failure', { at: new Date().toISOString(), reason }).catch(() => {})
    throw error
  }
}

async function createInRepository(
  o: BackupOptions,
  startedAt: Date,
): Promise<LastBackup & { removed: string[] }> {
  const repository = await openOwnRepository(o.to, o)
  const { dir } = repository
  const lost = new AbortController()
  const onLost = (): void =>
    lost.abort(new BackupError(`Another process has taken over the backups in ${dir}.`))
  const dataLock = await lockBackups(o.dataDir, onLost)
  const lock = await lockRepository(dir, onLost).catch((error: unknown) => {
    dataLock.release()
    throw error
  })
  try {
    await removeLeftovers(repository)
    const signal = o.signal ? AbortSignal.any([o.signal, lost.signal]) : lost.signal
    const { manifest, addedBytes, removedFirst } = await writeBackup(repository, { ...o, signal }, startedAt)
    o.progress.step('Removing expired backups')
    const removed = [...removedFirst, ...(await removeExpired(dir, o.retention))]
    const result = toLastBackup(repository, o.dataDir, {
      id: manifest.id,
      at: manifest.finishedAt,
      durationMs: Date.now() - startedAt.getTime(),
      addedBytes,
    })
    await writeBackupState(o.dataDir, 'backup', result)
    await rm(join(o.dataDir, 'backup-state', 'failure.json'), { force: true })
    return { ...result, removed }
  } finally {
    lock.release()
    dataLock.release()
  }
}

/** Creates the folders, and removes what a killed backup has left behind. */
async function removeLeftovers({ dir }: Repository): Promise<void> {
  await createFolder(paths.backups(dir))
  await createFolder(paths.files(dir))
  await createFolder(paths.incoming(dir))
  for (const name of await readdir(paths.incoming(dir)))
    await rm(join(paths.incoming(dir), name), { recursive: true, force: true })
}

/** An id that no backup has yet: two backups can start in the same second. */
async function newId(dir: string, startedAt: Date): Promise<string> {
  const names = new Set(await readdir(paths.backups(dir)))
  const id = renderBackupId(startedAt)
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? id : `${id}-${count}`
    if (!names.has(candidate)) return candidate
  }
}

async function writeBackup(
  repository: Repository,
  o: BackupOptions & { signal: AbortSignal },
  startedAt: Date,
): Promise<{ manifest: BackupManifest; addedBytes: number; removedFirst: string[] }> {
  const { dir } = repository
  const { progress } = o
  const failed = new AbortController()
  const signal = AbortSignal.any([o.signal, failed.signal])
  const storageDir = join(o.dataDir, 'storage')
  const space = createFreeSpace(dir, o.reserveBytes)
  const client = new Client({ ...o.database, application_name: 'linnet backup' })
  client.on('error', () => {})
  await client.connect()
  let addedBytes = 0
  let removedFirst: string[] = []
  const onWrite = async (bytes: number): Promise<void> => {
    await space.countWritten(bytes)
    addedBytes += bytes
  }
  const onRead = (bytes: number): void => progress.advance(bytes)
  let release = (): Promise<void> => releaseRemoved(storageDir)
  try {
    progress.step('Comparing files')
    const fileBytes = await missingBytes(repository, storageDir)
    const databaseBytes = await databaseSize(client)
    const last = (await listBackups(dir)).backups.at(-1)
    const neededBytes = fileBytes + (last?.parts.base.storedBytes ?? databaseBytes / 2) * 1.1
    // A full disk may have space for a backup without the expired ones.
    await space.require(neededBytes).catch(async () => {
      removedFirst = await removeExpired(dir, o.retention)
      await space.require(neededBytes)
    })
    release = await retainRemoved(storageDir)
    const rowsBefore = await countRows(client)
    const id = await newId(dir, startedAt)
    const folder = join(paths.incoming(dir), id)
    await mkdir(folder, { mode: 0o700 })
    const writePart = async (
      name: string,
      source: AsyncIterable<Buffer>,
      { encrypt = true } = {},
    ): Promise<BackupPart> => {
      const {
        publish,
        remove: _,
        ...stored
      } = await writeStored(repository, source, {
        compress: encrypt,
        encrypt,
        onWrite,
        signal,
      })
      await publish(join(folder, name))
      return { name, ...stored }
    }
    progress.step('Copying the database and files', { totalBytes: databaseBytes + fileBytes })
    // The second pass adds what this one misses, so it may run beside the copy of the database.
    const [copied] = await settleBoth(
      copyDatabase(repository, o, onRead, writePart),
      storeMissingFiles(repository, storageDir, { onRead, onWrite, signal }),
      () => failed.abort(),
    )
    const rowsAfter = await countRows(client)
    progress.step('Copying files that were added since')
    // Files of objects that the copied database has, and that were uploaded after the first pass.
    await storeMissingFiles(repository, storageDir, { onRead, onWrite, signal })
    let count = 0
    const files = await writePart(
      'files.txt',
      listVersions(repository, storageDir, () => count++),
      { encrypt: false },
    )
    const settings = await writePart('settings.tar.br.age', readSettings(o.dataDir))
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    const manifest: BackupManifest = {
      format: repositoryFormat,
      id,
      startedAt: startedAt.toISOString(),
      finishedAt: new Date().toISOString(),
      linnet: o.version,
      postgres: rows[0]!.server_version.split(' ')[0]!,
      platform: `${process.platform}-${process.arch}`,
      installation: o.installation,
      ...copied.positions,
      publicKey: repository.info.publicKey,
      parts: { ...copied.parts, settings, files },
      files: { count },
      rows: mergeCounts(rowsBefore, rowsAfter),
    }
    await publishBackup(dir, folder, manifest)
    return { manifest, addedBytes, removedFirst }
  } finally {
    await client.end().catch(() => {})
    await release()
  }
}

/** Waits for both, and calls `onFailure` if one fails. Rejects with the first error, when nothing is written any more. */
async function settleBoth<A, B>(a: Promise<A>, b: Promise<B>, onFailure: () => void): Promise<[A, B]> {
  const both = Promise.all([a, b])
  both.catch(onFailure)
  await Promise.allSettled([a, b])
  return both
}

async function databaseSize(client: Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    'select sum(pg_database_size(oid)) as bytes from pg_database',
  )
  return Number(rows[0]!.bytes)
}

type WritePart = (name: string, source: AsyncIterable<Buffer>) => Promise<BackupPart>

/** Copies PostgreSQL's data folder into the parts `base` and `baseManifest`. */
async function copyDatabase(
  repository: Repository,
  { database, dataDir }: Pick<BackupOptions, 'database' | 'dataDir'>,
  onRead: (bytes: number) => void,
  writePart: WritePart,
): Promise<{
  positions: Pick<BackupManifest, 'log' | 'timeline' | 'startLsn' | 'endLsn'>
  parts: Pick<BackupManifest['parts'], 'base' | 'baseManifest'>
}> {
  const copy = await openBaseBackup(database)
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const bytes of copy.readData()) {
      onRead(bytes.length)
      yield bytes
    }
  }
  try {
    const { log } = await openLog(repository, dataDir, copy)
    const base = await writePart('base.tar.br.age', counted())
    const baseManifest = await writePart('base.json.br.age', copy.readManifest())
    const positions = { log, ...(await copy.finish()) }
    return { positions, parts: { base, baseManifest } }
  } finally {
    copy.close()
  }
}

function mergeCounts(
  before: Record<string, number>,
  after: Record<string, number>,
): Record<string, RowCount> {
  return Object.fromEntries(
    Object.entries(after).map(([table, count]) => [table, { before: before[table] ?? 0, after: count }]),
  )
}

/** The manifest is written last, and the folder gets its final name with it. */
async function publishBackup(dir: string, folder: string, manifest: BackupManifest): Promise<void> {
  for (const part of Object.values(manifest.parts)) {
    const { size } = await stat(join(folder, part.name))
    if (size !== part.storedBytes) throw new BackupError(`${join(folder, part.name)} is truncated.`)
  }
  await replaceFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await syncFolder(folder)
  await syncFolder(paths.files(dir))
  await rename(folder, paths.backup(dir, manifest.id))
  await syncFolder(paths.backups(dir))
}
