import { readdir, readFile } from 'node:fs/promises'
import { parseLsn } from '../../postgres/connections/lsn.ts'
import { BackupError } from '../BackupError.ts'
import { isBackupId, paths, repositoryFormat } from './layout.ts'

/** A file in the folder of a backup. */
export interface BackupPart {
  /** The name of the file. */
  name: string
  /** Bytes before compression and encryption. */
  plainBytes: number
  storedBytes: number
  /** Of the stored bytes, in hexadecimal digits. */
  sha256: string
}

/** The number of rows of a table when the backup began and when it ended. */
export interface RowCount {
  before: number
  after: number
}

/** `manifest.json` of a backup. It is not encrypted, so that listing and removing backups needs no key. */
export interface BackupManifest {
  format: number
  id: string
  /** ISO 8601. */
  startedAt: string
  finishedAt: string
  /** Versions of Linnet and PostgreSQL, such as "0.1.0" and "18.4". */
  linnet: string
  postgres: string
  /** Such as "linux-x64": PostgreSQL's files fit this platform only. */
  platform: string
  /** `installation` of secrets.json. */
  installation: string
  /** The folder below `wal` with the log that continues the backup: see renderLog. */
  log: string
  timeline: number
  /** The log between these positions is part of the base backup, which is consistent from `endLsn` on. */
  startLsn: string
  endLsn: string
  /** The key that the backup is encrypted to. */
  publicKey: string
  parts: {
    /** PostgreSQL's data folder: a tar archive, Brotli, age. */
    base: BackupPart
    /** PostgreSQL's `backup_manifest` with the checksums of all files in `base`: Brotli, age. */
    baseManifest: BackupPart
    /** The other files of the installation's data folder: a tar archive, Brotli, age. */
    settings: BackupPart
    /** The versions of all files in storage, sorted, one a line: plain text. */
    files: BackupPart
  }
  files: { count: number }
  /** By table, such as "public.messages". */
  rows: Record<string, RowCount>
}

/** Reads the manifest of one backup. Throws BackupError where it is damaged or of a newer format. */
export async function readManifest(dir: string, id: string): Promise<BackupManifest> {
  const path = paths.manifest(dir, id)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new BackupError(`There is no backup ${id} in ${dir}.`, { cause: error })
  }
  let manifest: BackupManifest
  try {
    manifest = JSON.parse(text) as BackupManifest
  } catch (error) {
    throw new BackupError(`${path} is damaged. Restore another backup.`, { cause: error })
  }
  if (manifest.format > repositoryFormat)
    throw new BackupError(`${path} was written by a newer Linnet. Use that version to restore the backup.`)
  const isComplete = typeof manifest.log === 'string' && manifest.parts?.base?.name === 'base.tar.br.age'
  if (manifest.id !== id || !isComplete) throw new BackupError(`${path} is damaged. Restore another backup.`)
  return manifest
}

/**
 * Sorts backups in the order in which they were made. Times alone do not show it, because the clock may have been wrong.
 * Positions of one log do.
 */
function sortBackups(backups: readonly BackupManifest[]): BackupManifest[] {
  const begins = new Map<string, string>()
  for (const { log, startedAt } of backups) {
    const begin = begins.get(log)
    if (begin === undefined || startedAt < begin) begins.set(log, startedAt)
  }
  return backups.toSorted(
    (one, other) =>
      compare(begins.get(one.log)!, begins.get(other.log)!) ||
      compare(one.log, other.log) ||
      one.timeline - other.timeline ||
      compare(parseLsn(one.endLsn), parseLsn(other.endLsn)),
  )
}

function compare<T extends string | bigint>(one: T, other: T): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** All backups whose manifest can be read, in the order in which they were made. */
export async function listBackups(
  dir: string,
): Promise<{ backups: BackupManifest[]; problems: BackupError[] }> {
  const names = await readdir(paths.backups(dir)).catch(() => [])
  const backups: BackupManifest[] = []
  const problems: BackupError[] = []
  for (const id of names.filter(isBackupId).sort()) {
    try {
      backups.push(await readManifest(dir, id))
    } catch (error) {
      if (!(error instanceof BackupError)) throw error
      problems.push(error)
    }
  }
  return { backups: sortBackups(backups), problems }
}
