import { execFile } from 'node:child_process'
import { chownSync, copyFileSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from 'pg'
import { copyFlags, createBackupFolder, finishBackupFolder } from '../postgres/server/backUpData.ts'
import { dropInactiveSlot } from '../postgres/connections/dropInactiveSlot.ts'
import { parseLsn, segmentName } from '../postgres/connections/lsn.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { syncFolder } from '../runtime/durableFiles.ts'

const run = promisify(execFile)

/** Directories whose content PostgreSQL creates again, as `pg_basebackup` leaves it out, and the WAL, which is copied last. */
const emptied = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
])
const omitted = new Set(['postmaster.pid', 'postmaster.opts', 'backup_label', 'backup_label.old'])

/** The slot that retains the WAL between the copy and the end of the old version. */
const walSlot = 'linnet_upgrade'

/** A copy of a running PostgreSQL's files in `<folder>/postgres`. */
export interface RunningCopy {
  /** Below `backups` in the data folder. */
  folder: string
  /** The first file of the WAL that the copy needs. */
  firstWalFile: string
}

const walFilePattern = /^[0-9A-F]{24}$/

/** Copies files and directories into a folder. Files that PostgreSQL removes meanwhile are left out. */
async function copyInto(paths: readonly string[], folder: string): Promise<void> {
  if (paths.length === 0) return
  let failure: { reason: string; cause: unknown } | null = null
  for (const flags of copyFlags) {
    try {
      await run('cp', [...flags, ...paths, folder], { maxBuffer: 2 ** 24 })
      return
    } catch (error) {
      const { stderr = '', message } = error as Error & { stderr?: string }
      const others = stderr
        .split('\n')
        .filter((line) => line !== '' && !line.includes('No such file or directory'))
      if (others.length === 0 && stderr !== '') return
      failure = { reason: others[0] ?? message, cause: error }
    }
  }
  throw new StartError(`The database can't be copied to ${folder}: ${failure!.reason}.`, {
    cause: failure!.cause,
  })
}

/** Creates an empty directory with the owner and mode of another one. */
function createLike(model: string, folder: string): void {
  const { mode, uid, gid } = lstatSync(model)
  mkdirSync(folder, { mode: mode & 0o777 })
  if (process.getuid!() === 0) chownSync(folder, uid, gid)
}

/** Writes the system's buffers of this file system to the disk. */
async function syncToDisk(folder: string): Promise<void> {
  if (process.platform === 'linux') await run('sync', ['-f', folder])
}

/**
 * Copies the WAL from the first file that the copy needs to the file that contains a position.
 * @param data the folder of PostgreSQL's files from which the WAL is copied
 */
export async function copyWal(copy: RunningCopy, data: string, until: bigint): Promise<void> {
  const timeline = Number.parseInt(copy.firstWalFile.slice(0, 8), 16)
  const last = segmentName(timeline, until)
  const names = readdirSync(join(data, 'pg_wal')).filter(
    (name) => walFilePattern.test(name) && name >= copy.firstWalFile && name <= last,
  )
  if (!names.includes(copy.firstWalFile) || !names.includes(last)) {
    throw new StartError(
      `PostgreSQL has already removed WAL that the copy of the database needs, because too much was written meanwhile. Try again.`,
    )
  }
  const target = join(copy.folder, 'postgres', 'pg_wal')
  await copyInto(
    names.map((name) => join(data, 'pg_wal', name)),
    target,
  )
  // Only these files: nobody can use the server now, and other programs may have filled the buffers of the file system.
  await Promise.all([...names.map((name) => join(target, name)), target].map(syncFolder))
}

/**
 * Copies PostgreSQL's files while it runs, with its functions for online backups. PostgreSQL starts on the copy as after a
 * crash. The WAL is retained until `walSlot` is dropped, so that `copyWal` can extend the copy to a later moment.
 * @param client of supabase_admin, and used for nothing else until this returns
 */
export async function copyRunningData(client: Client, dataDir: string): Promise<RunningCopy> {
  const data = join(dataDir, 'postgres')
  const { partial, backup } = await createBackupFolder(dataDir)
  try {
    await dropWalSlot(client)
    await client.query('select pg_create_physical_replication_slot($1, true)', [walSlot])
    await client.query('select pg_backup_start($1, true)', ['linnet upgrade'])
    const target = join(partial, 'postgres')
    createLike(data, target)
    const names = readdirSync(data).filter((name) => !omitted.has(name))
    for (const name of names.filter((name) => emptied.has(name)))
      createLike(join(data, name), join(target, name))
    await copyInto(
      names.filter((name) => !emptied.has(name)).map((name) => join(data, name)),
      target,
    )
    const { rows } = await client.query<{ lsn: string; labelfile: string }>(
      'select lsn, labelfile from pg_backup_stop(false)',
    )
    const { lsn, labelfile } = rows[0]!
    const label = join(target, 'backup_label')
    writeFileSync(label, labelfile, { mode: 0o600 })
    const { uid, gid } = lstatSync(data)
    if (process.getuid!() === 0) chownSync(label, uid, gid)
    copyFileSync(join(dataDir, 'postgres-passwords.json'), join(partial, 'postgres-passwords.json'))
    const firstWalFile = /\(file ([0-9A-F]{24})\)/.exec(labelfile)![1]!
    await copyWal({ folder: partial, firstWalFile }, data, parseLsn(lsn))
    await syncToDisk(partial)
    await finishBackupFolder(partial, backup)
    return { folder: backup, firstWalFile }
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    throw error
  }
}

/** Drops the slot that retains the WAL for a copy, if there is one. */
export async function dropWalSlot(client: Pick<Client, 'query'>): Promise<void> {
  await dropInactiveSlot(client, walSlot)
}

/** Removes the slot of a stopped PostgreSQL: no version after this one knows of it. */
export function removeWalSlot(dataDir: string): void {
  rmSync(join(dataDir, 'postgres', 'pg_replslot', walSlot), { recursive: true, force: true })
}

/** Copies a finished copy, for a rehearsal that changes it. */
export async function copyForRehearsal(copy: { folder: string }, rehearsalDir: string): Promise<void> {
  await copyInto(
    readdirSync(copy.folder).map((name) => join(copy.folder, name)),
    rehearsalDir,
  )
}
