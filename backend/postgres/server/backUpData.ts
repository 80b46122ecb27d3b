import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from './StartError.ts'

const run = promisify(execFile)

const maxBackups = 3

/** Flags of `cp` by preference: first those that share blocks where the file system can, then a plain copy. */
export const copyFlags: readonly string[][] = {
  linux: [['-a', '--reflink=auto'], ['-a']],
  darwin: [['-Rpc'], ['-Rp']],
}[process.platform as 'linux' | 'darwin'] ?? [['-Rp']]

/**
 * Creates a folder in `<dataDir>/backups` for a backup that is not complete yet, and removes the incomplete ones of ended
 * processes. `finishBackupFolder` gives it its final name.
 */
export async function createBackupFolder(dataDir: string): Promise<{ partial: string; backup: string }> {
  const backups = join(dataDir, 'backups')
  // Only this process needs access: PostgreSQL never runs there.
  await mkdir(backups, { recursive: true, mode: 0o700 })
  const backup = join(backups, new Date().toISOString().replaceAll(':', '-'))
  const partial = `${backup}.partial`
  for (const leftover of await readdir(backups)) {
    if (leftover.endsWith('.partial')) await rm(join(backups, leftover), { recursive: true, force: true })
  }
  await mkdir(partial, { mode: 0o700 })
  return { partial, backup }
}

/** Gives a complete backup its final name, and removes all but the newest backups. */
export async function finishBackupFolder(partial: string, backup: string): Promise<void> {
  await rename(partial, backup)
  const backups = dirname(backup)
  for (const old of (await readdir(backups)).sort().slice(0, -maxBackups)) {
    await rm(join(backups, old), { recursive: true, force: true })
  }
}

/**
 * Copies PostgreSQL's files to `<dataDir>/backups/<time>`, keeping the last three copies. PostgreSQL must not run.
 * To restore: replace `<dataDir>/postgres` by the backup's `postgres`.
 * Nothing here blocks the event loop: a copy can take minutes, and the heartbeat of the data lock must continue.
 * Throws StartError where there is not enough space, and then leaves nothing behind.
 * @returns the folder of the backup
 */
export async function backUpData(dataDir: string): Promise<string> {
  const { partial, backup } = await createBackupFolder(dataDir)
  let reason = ''
  for (const flags of copyFlags) {
    await mkdir(partial, { recursive: true, mode: 0o700 })
    try {
      await run('cp', [...flags, join(dataDir, 'postgres'), partial])
    } catch (error) {
      const { stderr, message } = error as Error & { stderr?: string }
      reason = stderr?.split('\n')[0] || message
      await rm(partial, { recursive: true, force: true })
      continue
    }
    await copyFile(join(dataDir, 'postgres-passwords.json'), join(partial, 'postgres-passwords.json'))
    await finishBackupFolder(partial, backup)
    return backup
  }
  throw new StartError(
    `The data can't be backed up to ${dirname(backup)}, as is required before a schema change: ${reason}. ` +
      'Free some space and start again. Nothing was changed.',
  )
}
