import { join } from 'node:path'
import { BackupError } from '../backup/BackupError.ts'
import type { RowCount } from '../backup/repository/manifest.ts'
import { writeBackupState } from '../backup/state.ts'
import { requireFreeSpace, restoreScratch, type Restored, type RestoreOptions } from './restoreBackup.ts'
import { commandName } from '../runtime/commandName.ts'

/** The tables whose number of rows is not between the numbers before and after the backup. */
export function findDifferentCounts(
  expected: Record<string, RowCount>,
  found: Record<string, number>,
): string[] {
  return Object.entries(expected)
    .filter(([table, { before, after }]) => {
      const count = found[table]
      return count === undefined || count < Math.min(before, after) || count > Math.max(before, after)
    })
    .map(
      ([table, { before, after }]) =>
        `${table} has ${found[table] ?? 'no'} rows instead of ${before === after ? before : `${before} to ${after}`}`,
    )
}

/**
 * Restores a backup into a scratch folder of the installation, starts PostgreSQL on it, and compares rows and files with the
 * manifest. The result is stored in the installation. Throws BackupError where the backup can't be restored or differs.
 * @param o.quick reads the bytes of some files only
 */
export async function verifyBackup(
  dataDir: string,
  o: Omit<RestoreOptions, 'dataDir' | 'at'> & { quick: boolean },
): Promise<Restored> {
  const { manifest } = o.selected
  const folder = join(dataDir, 'verify.partial')
  const selected = { manifest, wal: [] }
  // Checked before: a small disk proves nothing about the backup.
  await requireFreeSpace({ selected, dataDir: folder })
  const record = (failure: string | null): Promise<void> =>
    writeBackupState(dataDir, 'verification', { id: manifest.id, at: new Date().toISOString(), failure })
  try {
    const restored = await restoreScratch(folder, { ...o, selected, at: null }, o.quick ? 'sample' : 'read')
    const problems = findDifferentCounts(manifest.rows, restored.rows)
    if (restored.missing > 0)
      problems.push(
        `${restored.missing === 1 ? 'one file is' : `${restored.missing} files are`} missing, such as ${restored.missingNames[0]}`,
      )
    if (problems.length > 0)
      throw new BackupError(
        `The backup ${manifest.id} differs from the database: ${problems.join('; ')}. Check the server with ${commandName()} doctor, make another backup, and verify it.`,
      )
    await record(null)
    return restored
  } catch (error) {
    // An interrupted check has no result.
    if (!o.signal?.aborted) await record((error as Error).message)
    throw error
  }
}
