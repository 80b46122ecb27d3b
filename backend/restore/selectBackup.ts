import { BackupError } from '../backup/BackupError.ts'
import type { WalChunk } from '../backup/repository/layout.ts'
import { listBackups, readManifest, type BackupManifest } from '../backup/repository/manifest.ts'
import { listWal } from '../backup/repository/readStored.ts'
import { selectWalOf } from '../backup/repository/walSegments.ts'
import { renderMoment } from './moments.ts'

/** Commit times of the log and the clock of the archive differ by less than this. */
const clockToleranceMs = 60_000

/** A backup with the ranges of the log that follow it. */
export interface SelectedBackup {
  manifest: BackupManifest
  wal: WalChunk[]
}

/**
 * The backup to restore: the named one, else the last one that ended before the moment. Its ranges of the log end after the
 * moment. Throws BackupError where the moment can't be reached.
 * @param o.at null: the latest state
 */
export async function selectBackup(
  dir: string,
  o: { backup: string | null; at: Date | null },
): Promise<SelectedBackup> {
  const manifest = o.backup === null ? await findBackup(dir, o.at) : await readManifest(dir, o.backup)
  const wal = selectWalOf(manifest, await listWal(dir, manifest.log))
  if (o.at === null) return { manifest, wal }
  if (new Date(manifest.finishedAt) > o.at)
    throw new BackupError(
      `The backup ${manifest.id} ended at ${renderMoment(new Date(manifest.finishedAt))}, after the moment ` +
        `${renderMoment(o.at)}. Name an earlier backup, or omit --backup.`,
    )
  const last = Math.max(Date.parse(manifest.finishedAt), ...wal.slice(-1).map(({ writtenAt }) => writtenAt))
  if (o.at.getTime() > last)
    throw new BackupError(
      `The backups reach up to ${renderMoment(new Date(last))}. Choose that moment or an earlier one, or omit --at.`,
    )
  // The recovery stops at the moment. Later ranges are not needed.
  const limit = o.at.getTime() + clockToleranceMs
  const needed = wal.findIndex(({ writtenAt }) => writtenAt > limit)
  return { manifest, wal: needed < 0 ? wal : wal.slice(0, needed + 1) }
}

async function findBackup(dir: string, at: Date | null): Promise<BackupManifest> {
  const { backups, problems } = await listBackups(dir)
  const found = backups.findLast(({ finishedAt }) => at === null || new Date(finishedAt) <= at)
  if (found) return found
  if (problems[0]) throw problems[0]
  const [first] = backups
  if (!first) throw new BackupError(`There are no backups of Linnet in ${dir}.`)
  throw new BackupError(
    `The first backup ended at ${renderMoment(new Date(first.finishedAt))}. No earlier moment can be restored.`,
  )
}
