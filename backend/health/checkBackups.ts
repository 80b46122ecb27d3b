import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { readBackupSettings } from '../backup/backupSettings.ts'
import { readBackupState, type BackupState } from '../backup/state.ts'
import type { Config } from '../config/loadConfig.ts'
import { createLocalFinding, type LocalFinding } from './LocalFinding.ts'

const dayMs = 24 * 3_600_000
/** Backups are daily: two days after the last one, at least one has been missed. */
const maxAgeMs = 2 * dayMs

/**
 * Judges the backups of an installation.
 * @param o.createdAt when the data were created, in ms since 1970: a new installation has no backup on its first day
 */
export function judgeBackups(state: BackupState, o: { createdAt: number; now: number }): LocalFinding[] {
  const { backup, failure, verification, wal } = state
  const isNew = o.now - o.createdAt < dayMs
  const findings: LocalFinding[] = []
  if (failure !== null)
    findings.push(createLocalFinding('backups.failed', { at: failure.at }, { details: [failure.reason] }))
  if (backup === null) {
    if (failure === null) findings.push(createLocalFinding(isNew ? 'backups.none_yet' : 'backups.none', {}))
    return findings
  }
  if (o.now - Date.parse(backup.at) > maxAgeMs)
    findings.push(createLocalFinding('backups.old', { at: backup.at }))
  else findings.push(createLocalFinding('backups.recent', { at: backup.at }))
  if (backup.isOnSameDisk && backup.commandFailure === null)
    findings.push(
      createLocalFinding(
        'backups.same_disk',
        { is_new: isNew },
        { details: [`The backups are in ${backup.dir}.`] },
      ),
    )
  if (!backup.hasRecoverySheet && backup.keyStorage !== 'absent')
    findings.push(createLocalFinding('backups.no_recovery_sheet', { is_new: isNew }))
  if (backup.commandFailure !== null)
    findings.push(createLocalFinding('backups.command_failed', {}, { details: [backup.commandFailure] }))
  if (verification !== null && verification.failure !== null)
    findings.push(
      createLocalFinding(
        'backups.not_restorable',
        { at: verification.at },
        { details: [verification.failure] },
      ),
    )
  else
    findings.push(
      verification === null
        ? createLocalFinding('backups.unproven', {})
        : createLocalFinding('backups.proven', { at: verification.at }),
    )
  if (wal !== null && wal.failure !== null)
    findings.push(createLocalFinding('backups.log_not_archived', {}, { details: [wal.failure] }))
  return findings
}

/** Reads and judges the state of the backups. An installation without a database needs none, nor one that turns them off. */
export function checkBackups(config: Config, dataDir: string): LocalFinding[] {
  const created = lstatSync(join(dataDir, 'postgres', 'PG_VERSION'), { throwIfNoEntry: false })
  if (created === undefined || !readBackupSettings(config, dataDir).isEnabled) return []
  return judgeBackups(readBackupState(dataDir), { createdAt: created.mtimeMs, now: Date.now() })
}
