import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder, readJson, replaceFile } from '../runtime/durableFiles.ts'
import { keyStorageOf, type KeyStorage } from './repository/keys.ts'
import type { Repository } from './repository/openRepository.ts'

/** The last backup that succeeded. */
export interface LastBackup {
  id: string
  /** ISO 8601, when it was complete. */
  at: string
  /** The repository. */
  dir: string
  durationMs: number
  /** Bytes that this backup has added to the repository. */
  addedBytes: number
  /** Whether the repository was on the same disk as the data. */
  isOnSameDisk: boolean
  keyStorage: KeyStorage
  /** Whether the recovery sheet of the current key was printed. */
  hasRecoverySheet: boolean
  /** Why `[backup] command` failed; null where it succeeded or there is none. */
  commandFailure: string | null
}

/** The last backup that failed, with the sentence for the owner. Removed by a backup that succeeds. */
export interface LastFailure {
  at: string
  reason: string
}

/** The last check that restored a backup and compared it. The command `backup verify` writes it. */
export interface LastVerification {
  /** Of the backup. */
  id: string
  at: string
  /** Null where the check succeeded. */
  failure: string | null
}

/** How far the server has archived the log. */
export interface WalState {
  /** ISO 8601, of this state. */
  at: string
  isRunning: boolean
  timeline: number
  /** Everything before this position is in the repository. */
  archivedLsn: string
  /** Bytes of the log that wait to be archived. */
  lagBytes: number
  /** Why archiving does not work now; null where it does. */
  failure: string | null
  /** Since when the log has a gap, so that a base backup is needed before points in time can be restored; null: none. */
  gapSince: string | null
}

/** What other programs read about backups: the checks of the server, the commands, the administration page. */
export interface BackupState {
  backup: LastBackup | null
  failure: LastFailure | null
  verification: LastVerification | null
  wal: WalState | null
}

/** Each part has its own file, because other processes write them. */
const fileOf = (dataDir: string, part: keyof BackupState): string =>
  join(dataDir, 'backup-state', `${part}.json`)

function read<Part extends keyof BackupState>(dataDir: string, part: Part): BackupState[Part] | null {
  return readJson(fileOf(dataDir, part))
}

/** Reads the state of the backups of an installation. Parts that were never written are null. */
export function readBackupState(dataDir: string): BackupState {
  return {
    backup: read(dataDir, 'backup'),
    failure: read(dataDir, 'failure'),
    verification: read(dataDir, 'verification'),
    wal: read(dataDir, 'wal'),
  }
}

/** Replaces one part of the state atomically. */
export async function writeBackupState<Part extends keyof BackupState>(
  dataDir: string,
  part: Part,
  value: BackupState[Part],
): Promise<void> {
  await createFolder(join(dataDir, 'backup-state'))
  await replaceFile(fileOf(dataDir, part), `${JSON.stringify(value, null, 2)}\n`)
}

/** The state after a backup was added to a repository, or was restored from it into these data. */
export function toLastBackup(
  { dir, info }: Repository,
  dataDir: string,
  backup: Pick<LastBackup, 'id' | 'at' | 'durationMs' | 'addedBytes'>,
): LastBackup {
  return {
    ...backup,
    dir,
    isOnSameDisk: isOnSameDisk(dir, dataDir),
    keyStorage: keyStorageOf(dir),
    hasRecoverySheet: info.recoverySheetAt !== null,
    commandFailure: null,
  }
}

/** Whether two existing folders are on the same file system. */
export function isOnSameDisk(one: string, other: string): boolean {
  return statSync(one).dev === statSync(other).dev
}
