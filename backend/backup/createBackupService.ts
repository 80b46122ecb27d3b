import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import type { Logger } from '../logging/logger.ts'
import { defaultRepository, type BackupSettings } from './backupSettings.ts'
import { isBackupDue } from './schedule/isBackupDue.ts'
import { isVerificationDue } from './schedule/isVerificationDue.ts'
import { endContinuous, releaseRemoved } from './source/retainedFiles.ts'
import { readBackupState, writeBackupState, type BackupState } from './state.ts'
import { isBackupRunning } from './target/lockRepository.ts'
import { openOwnRepository } from './target/openOwnRepository.ts'
import { createWalArchiver, dropArchiveSlot, type WalArchiver } from './wal/createWalArchiver.ts'

export interface BackupService {
  /** A file of storage was published. */
  addFile(version: string): void
  /** Starts a backup beside the daily ones, unless one is running. Its result is in `read`. */
  request(): void
  /** The last backup, why a later one has failed, and whether one is running. */
  read(): Pick<BackupState, 'backup' | 'failure'> & { isRunning: boolean }
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
  const children = new Set<ChildProcess>()
  let isBackingUp = false
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
    children.add(started)
    const code = await new Promise<number | null>((resolve) => {
      started.once('exit', resolve)
      started.once('error', () => resolve(null))
    })
    children.delete(started)
    return code
  }

  const runBackup = async (): Promise<void> => {
    isBackingUp = true
    const before = readBackupState(dataDir)
    const code = await runChild(o.commands.backup)
    const { backup, ...after } = readBackupState(dataDir)
    let { failure } = after
    // A process that was killed records nothing.
    if (code !== 0 && backup?.id === before.backup?.id && failure?.at === before.failure?.at) {
      failure = { at: new Date().toISOString(), reason: 'The backup ended unexpectedly.' }
      if (!isClosed) await writeBackupState(dataDir, 'failure', failure)
    }
    isBackingUp = false
    if (isClosed) return
    if (code === 0) hasOwnBackup = true
    if (code === 0) log.info('backup.created', { id: backup?.id, durationMs: backup?.durationMs })
    else
      log.error('backup.failed', {
        reason: failure?.reason ?? backup?.commandFailure,
      })
    await releaseUnused()
    if (code === 0) await verifyIfDue()
  }

  /** Also a backup of `linnet backup`. */
  const isRunning = (): boolean => isBackingUp || isBackupRunning(dataDir)

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

  const logFailure = (error: Error): void => log.error('backup.check_failed', { reason: error.message })

  const check = async (): Promise<void> => {
    if (children.size > 0 || isBackupRunning(dataDir)) return
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
        .catch(logFailure)
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
    request() {
      if (isRunning() || isClosed) return
      void runBackup().catch(logFailure)
    },
    read() {
      const { backup, failure } = readBackupState(dataDir)
      return { backup, failure, isRunning: isRunning() }
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      for (const child of children) child.kill('SIGTERM')
      await archiver?.close()
    },
  }
}
