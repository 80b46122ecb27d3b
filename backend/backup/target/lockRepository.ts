import { join } from 'node:path'
import { acquireLock, isFileLocked, type DataLock, type LockHolder } from '../../postgres/server/dataLock.ts'
import { BackupError } from '../BackupError.ts'

function inUse(what: string, holder: LockHolder | null): BackupError {
  const who = holder === null ? '' : ` (process ${holder.pid} on ${holder.host}, since ${holder.since})`
  return new BackupError(`Another process ${what}${who}. Wait until it has ended.`)
}

/**
 * Locks a repository for one writer: a backup, a change of keys, or the removal of old backups. Throws BackupError that
 * names the other writer.
 * @param onLost called once, when another process has taken over the lock because this one was suspended
 */
export function lockRepository(dir: string, onLost: () => void): Promise<DataLock> {
  return acquireLock(join(dir, 'lock'), (holder) => inUse(`writes to the backups in ${dir}`, holder), onLost)
}

const backupLock = (dataDir: string): string => join(dataDir, 'backup.lock')

/** Locks an installation for one backup, in any repository. Throws BackupError that names the other backup. */
export function lockBackups(dataDir: string, onLost: () => void): Promise<DataLock> {
  return acquireLock(backupLock(dataDir), (holder) => inUse(`backs up ${dataDir}`, holder), onLost)
}

/** Whether a backup of the installation runs on this machine. */
export function isBackupRunning(dataDir: string): boolean {
  return isFileLocked(backupLock(dataDir))
}
