import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import type { Logger } from '../logging/logger.ts'
import { defaultRepository, type BackupSettings } from './backupSettings.ts'
import { isBackupDue } from './schedule/isBackupDue.ts'
import { isVerificationDue } from './schedule/isVerificationDue.ts'
import { endContinuous, releaseRemoved } from './source/retainedFiles.ts'
import { readBackupState } from './state.ts'
import { isBackupRunning } from './target/lockRepository.ts'
import { openOwnRepository } from './target/openOwnRepository.ts'
import { createWalArchiver, dropArchiveSlot, type WalArchiver } from './wal/createWalArchiver.ts'

export interface BackupService {
  /** A file of storage was published. */
  addFile(version: string): void
  close(): Promise<void>
}

/** Programs with their arguments. */
export interface BackupCommands {
  backup: readonly string[]
  verify: readonly string[]
}

const checkIntervalMs = 60_000
const resumeIntervalMs = 1_000
/** After the start: a server that was started only for a moment makes no backup. */
const firstCheckMs = 10 * 60_000

/**
 * The backups of a running server: the daily backup and the weekly verification, in processes of their own, and the
 * continuous archive of the log. A restored copy begins with them once its restore is confirmed, and backs itself up at once.
 * @param o.commands the command lines of `linnet backup` and `linnet backup verify --quick` for this installation
 * @param o.database the connection of the role `postgres`
 * @param o.isPaused whether the data are a restored copy, and nobody has confirmed yet that the original is gone
 */
export function createBackupService(o: {
  settings: BackupSettings
  dataDir: string
  installation: string
  commands: BackupCommands
  database: ClientConfig
  isPaused: () => boolean
  log: Logger
}): BackupService {
  const { settings, dataDir, log } = o
  const storageDir = join(dataDir, 'storage')
  let child: ChildProcess | null = null
  let isClosed = false
  let archiver: WalArchiver | null = null
  /** The last backup of a restored copy is one of the original. The copy makes its own as soon as it is resumed. */
  let hasOwnBackup = !o.isPaused()

  const startArchiver = (): WalArchiver =>
    createWalArchiver({
      dataDir,
      database: o.database,
      openRepository: () =>
        openOwnRepository(settings.to ?? defaultRepository(dataDir, o.installation), {
          ...settings,
          dataDir,
          isRestored: o.isPaused(),
          isChosen: false,
        }),
      maxLagBytes: settings.maxWalBytes,
      reserveBytes: settings.reserveBytes,
      log,
    })

  /** Removes deleted files that a killed backup, or an earlier setting, has retained. */
  const releaseUnused = async (): Promise<void> => {
    if (archiver || isBackupRunning(dataDir)) return
    await endContinuous(storageDir)
    await releaseRemoved(storageDir)
  }

  /** Runs a command to its end, and returns its exit code. */
  const runChild = async ([program, ...args]: readonly string[]): Promise<number | null> => {
    const started = spawn(program!, args, { stdio: 'ignore' })
    child = started
    const code = await new Promise<number | null>((resolve) => {
      started.once('exit', resolve)
      started.once('error', () => resolve(null))
    })
    child = null
    return code
  }

  const runBackup = async (): Promise<void> => {
    const code = await runChild(o.commands.backup)
    if (isClosed) return
    const { backup, failure } = readBackupState(dataDir)
    if (code === 0) hasOwnBackup = true
    if (code === 0) log.info('backup.created', { id: backup?.id, durationMs: backup?.durationMs })
    else
      log.error('backup.failed', {
        reason: failure?.reason ?? backup?.commandFailure ?? 'the process ended unexpectedly',
      })
    await releaseUnused()
    if (code === 0) await verifyIfDue()
  }

  /** Without the private key, only its owner can verify a backup. */
  const verifyIfDue = async (): Promise<void> => {
    const { backup, verification } = readBackupState(dataDir)
    const hasKey =
      backup?.keyStorage === 'plain' || (backup?.keyStorage === 'passphrase' && settings.passphrase !== null)
    if (isClosed || !hasKey || !isVerificationDue(new Date(), verification)) return
    const code = await runChild(o.commands.verify)
    if (isClosed) return
    const after = readBackupState(dataDir).verification
    if (code === 0) log.info('backup.verified', { id: after?.id })
    else log.error('backup.not_verified', { reason: after?.failure ?? 'the process ended unexpectedly' })
  }

  const check = async (): Promise<void> => {
    if (child !== null || isBackupRunning(dataDir)) return
    const { backup, failure } = readBackupState(dataDir)
    const failedAt = failure === null ? null : new Date(failure.at)
    const times = { now: new Date(), atMinute: settings.atMinute, failedAt }
    const isDue =
      isBackupDue({ ...times, lastAt: backup && hasOwnBackup ? new Date(backup.at) : null }) ||
      ((await archiver?.needsBackup()) === true && isBackupDue({ ...times, lastAt: null }))
    if (isDue && !isClosed) await runBackup()
  }
  let timer: NodeJS.Timeout | undefined
  const checkLater = (delayMs: number): void => {
    timer = setTimeout(() => {
      check()
        .catch((error: Error) => log.error('backup.check_failed', { reason: error.message }))
        .finally(() => {
          if (!isClosed) checkLater(checkIntervalMs)
        })
    }, delayMs)
    timer.unref()
  }
  const start = (delayMs: number): void => {
    if (settings.isEnabled && settings.pointInTime) archiver = startArchiver()
    else
      dropArchiveSlot(o.database).catch((error: Error) =>
        log.warn('backup.slot_not_dropped', { reason: error.message }),
      )
    if (settings.isEnabled) checkLater(delayMs)
    releaseUnused().catch(() => {})
  }
  const startOnceResumed = (): void => {
    if (!o.isPaused()) return start(0)
    timer = setTimeout(startOnceResumed, resumeIntervalMs)
    timer.unref()
  }
  if (o.isPaused()) startOnceResumed()
  else start(firstCheckMs)

  return {
    addFile: (version) => archiver?.addFile(version),
    async close() {
      isClosed = true
      clearTimeout(timer)
      child?.kill('SIGTERM')
      await archiver?.close()
    },
  }
}
