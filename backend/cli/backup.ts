import { existsSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import type { ClientConfig } from 'pg'
import { version } from '../../package.json'
import { BackupError } from '../backup/BackupError.ts'
import {
  defaultRepository,
  parseRetention,
  readBackupSettings,
  type BackupSettings,
} from '../backup/backupSettings.ts'
import { createBackup } from '../backup/createBackup.ts'
import { runBackupCommand } from '../backup/runBackupCommand.ts'
import { writeBackupState, type LastBackup } from '../backup/state.ts'
import { loadConfig } from '../config/loadConfig.ts'
import { startPostgres } from '../postgres/server/startPostgres.ts'
import { readRestoreMarker } from '../restore/marker.ts'
import { readRunningServer } from '../startup/runningServer.ts'
import { readSecrets } from '../startup/secrets.ts'
import { UsageError, defineCommand } from './Command.ts'
import { commandLine } from '../runtime/commandName.ts'
import { projectOptions } from './findProject.ts'
import { createProgress, renderSeconds, renderSize, type Progress } from './progress.ts'
import { runInterruptible } from './runInterruptible.ts'

/** Lower than everything else: the backup uses what the server leaves of the processor. */
export const niceness = 19

export const passphraseFile = {
  value: 'FILE',
  help: 'file with the passphrase of the key (default: LINNET_BACKUP_PASSPHRASE)',
} as const

export const outputOption = {
  value: 'FORMAT',
  short: 'o',
  choices: ['text', 'json'],
  help: 'output format (default: text)',
} as const

/** The settings and the repository of an installation. Throws UsageError where the folder has no installation. */
export function readInstallation(
  { supabaseDir, dataDir }: { supabaseDir: string; dataDir: string },
  to: string | undefined,
): { settings: BackupSettings; installation: string; repository: string } {
  if (!existsSync(join(dataDir, 'postgres', 'PG_VERSION')))
    throw new UsageError(
      `There is no database in ${dataDir}. Start Linnet first, or name another directory with --data.`,
    )
  const settings = readBackupSettings(loadConfig(supabaseDir, dataDir), dataDir)
  const { installation } = readSecrets(dataDir)
  const repository =
    to === undefined ? (settings.to ?? defaultRepository(dataDir, installation)) : resolve(to)
  return { settings, installation, repository }
}

/** The passphrase of a file, else of the settings; null where there is none. Throws UsageError. */
export function readPassphrase(file: string | undefined, settings: BackupSettings): string | null {
  if (file === undefined) return settings.passphrase
  try {
    const text = readFileSync(resolve(file), 'utf8').replace(/\r?\n$/, '')
    if (text !== '') return text
  } catch (error) {
    throw new UsageError(`The file of --passphrase-file can't be read: ${(error as Error).message}`)
  }
  throw new UsageError('The file of --passphrase-file is empty.')
}

/** Runs `work` with the database of the running server, or starts PostgreSQL for that time. */
async function withDatabase<T>(
  dataDir: string,
  progress: Progress,
  work: (database: ClientConfig) => Promise<T>,
): Promise<T> {
  const running = readRunningServer(dataDir)
  if (running !== null) return work({ connectionString: running.dbUrl })
  progress.step('Starting PostgreSQL')
  const postgres = await startPostgres({ dataDir })
  try {
    return await work(postgres.config('postgres'))
  } finally {
    await postgres.stop()
  }
}

function renderResult(result: LastBackup & { removed: string[] }, printKey: string): string {
  const lines = [
    `Backup ${result.id} is complete, and everything in it was read back: ${renderSize(result.addedBytes)} were added to ` +
      `${result.dir} in ${renderSeconds(result.durationMs / 1000)}.`,
  ]
  if (result.removed.length > 0)
    lines.push(
      `Removed ${result.removed.length === 1 ? 'one expired backup' : `${result.removed.length} expired backups`}. Linnet keeps ` +
        'the backups of the last 24 hours, and the last one of each day, week and month for the periods of --keep or the settings.',
    )
  if (result.isOnSameDisk)
    lines.push(
      'The backups are on the same disk as the data. If that disk fails, both are lost. ' +
        'Choose a folder on another disk with --to, or with backup.to in linnet.toml. ' +
        'backup.command can also copy the backups to another machine.',
    )
  if (!result.hasRecoverySheet && result.keyStorage !== 'absent')
    lines.push(`The recovery sheet has not been printed yet. Print it: ${printKey}`)
  if (result.commandFailure !== null) lines.push(result.commandFailure)
  return lines.join('\n')
}

/** `linnet backup`: adds a backup to the repository, while the server runs or while it is stopped. */
export const backup = defineCommand({
  name: 'backup',
  group: 'Backup',
  summary: 'Back up the database, the files and the settings',
  help: `Adds an encrypted backup to a folder. The server may be running or stopped. Each file is stored
once, so that later backups add only new files. Everything that is written is read back. The
server makes a backup every night by itself: see [backup] in docs/settings.md.`,
  options: {
    to: { value: 'DIR', help: 'folder of the backups (default: backup.to of the settings)' },
    keep: {
      value: 'PERIODS',
      help: 'how many days, weeks and months to keep a backup of, such as 7d,4w,6m',
    },
    'passphrase-file': passphraseFile,
    output: outputOption,
    ...projectOptions,
  },
  async run({ dataDir, supabaseDir, options }) {
    setPriority(niceness)
    const { settings, installation, repository } = readInstallation({ dataDir, supabaseDir }, options.to)
    const retention = options.keep === undefined ? settings.retention : parseRetention(options.keep)
    if (retention === null)
      throw new UsageError(`--keep must be a list such as 7d,4w,6m, not "${options.keep}".`)
    const passphrase = readPassphrase(options['passphrase-file'], settings)
    const format = options.output ?? 'text'
    const progress = createProgress({ stream: process.stderr, format })
    const interruption = (): Error => new BackupError('The backup was interrupted. Nothing was added.')
    const result = await runInterruptible(progress, interruption, async (signal) => {
      const created = await withDatabase(dataDir, progress, (database) =>
        createBackup({
          dataDir,
          to: repository,
          isChosen: options.to !== undefined,
          isRestored: readRestoreMarker(dataDir) !== null,
          database,
          version,
          installation,
          retention,
          publicKey: settings.publicKey,
          passphrase,
          reserveBytes: settings.reserveBytes,
          progress,
          signal,
        }),
      )
      if (settings.command !== null) {
        progress.step('Running backup.command')
        created.commandFailure = await runBackupCommand(settings.command, {
          LINNET_BACKUP_DIR: created.dir,
          LINNET_BACKUP_ID: created.id,
          LINNET_DATA_DIR: dataDir,
        })
        const { removed: _, ...state } = created
        await writeBackupState(dataDir, 'backup', state)
      }
      return created
    })
    process.stdout.write(
      `${format === 'json' ? JSON.stringify(result) : renderResult(result, commandLine('backup key', options))}\n`,
    )
    return result.commandFailure === null ? 0 : 1
  },
})
