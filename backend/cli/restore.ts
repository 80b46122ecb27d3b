import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { version } from '../../package.json'
import { BackupError } from '../backup/BackupError.ts'
import { keyStorageOf, parseKeys, readKeys } from '../backup/repository/keys.ts'
import { openRepository } from '../backup/repository/openRepository.ts'
import { findBinaries } from '../postgres/server/binaries.ts'
import { parseMoment, renderMoment } from '../restore/moments.ts'
import { requirePlatform } from '../restore/platform.ts'
import { restoreBackup, type Restored } from '../restore/restoreBackup.ts'
import { selectBackup, type SelectedBackup } from '../restore/selectBackup.ts'
import { readRunningServer } from '../startup/runningServer.ts'
import { outputOption, passphraseFile } from './backup.ts'
import { UsageError, defineCommand } from './Command.ts'
import { commandLine } from '../runtime/commandName.ts'
import { projectOptions } from './findProject.ts'
import { createProgress, renderSize } from './progress.ts'
import { readSecretLine } from './readSecretLine.ts'
import { runInterruptible } from './runInterruptible.ts'

/** Options of commands that read the contents of backups. */
export const keyOptions = {
  'key-file': {
    value: 'FILE',
    help: 'file with the key, such as the recovery sheet (default: the key beside the backups)',
  },
  'passphrase-file': passphraseFile,
} as const

function readText(file: string, option: string): string {
  try {
    return readFileSync(resolve(file), 'utf8')
  } catch (error) {
    throw new UsageError(`The file of ${option} can't be read: ${(error as Error).message}`)
  }
}

/** The private keys of a repository, from a file or the repository, whose passphrase is read from the terminal if needed. */
export async function readIdentities(
  dir: string,
  o: { keyFile: string | undefined; passphraseFile: string | undefined; configured: string | null },
): Promise<string[]> {
  if (o.keyFile !== undefined) {
    const keys = await parseKeys(readText(o.keyFile, '--key-file'), o.keyFile)
    return keys.map(({ identity }) => identity)
  }
  let passphrase: string | null = null
  if (keyStorageOf(dir) === 'passphrase')
    passphrase =
      o.passphraseFile === undefined
        ? (process.env.LINNET_BACKUP_PASSPHRASE ??
          o.configured ??
          (await readSecretLine('Passphrase of the backups')))
        : readText(o.passphraseFile, '--passphrase-file').replace(/\r?\n$/, '')
  return (await readKeys(dir, passphrase)).map(({ identity }) => identity)
}

/** Opens a repository and finds a backup in it that this machine can restore. Throws BackupError. */
export async function openBackup(
  from: string,
  o: { backup: string | undefined; at: Date | null },
): Promise<{ dir: string; selected: SelectedBackup }> {
  const { dir } = await openRepository(resolve(from))
  const selected = await selectBackup(dir, { backup: o.backup ?? null, at: o.at })
  requirePlatform(selected.manifest, {
    platform: `${process.platform}-${process.arch}`,
    postgresMajor: findBinaries().major,
    linnet: version,
  })
  return { dir, selected }
}

/** `1 file`, `1,234 files`. */
const countOf = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

/** What was restored, what was not, and what to do next. */
function renderRestored(restored: Restored, dataDir: string): string {
  const { rows } = restored
  const lines = [
    `Restored to ${renderMoment(restored.recoveredTo)}, from the backup ${restored.backup}.`,
    `${countOf(rows['public.messages'] ?? 0, 'message')} in ${countOf(rows['public.channels'] ?? 0, 'channel')}, ` +
      `${countOf(rows['auth.users'] ?? 0, 'account')}, ${countOf(restored.files, 'file')} ` +
      `(${renderSize(restored.fileBytes)}).`,
  ]
  if (restored.missing > 0) {
    const names = restored.missingNames.map((name) => `  ${name}`).join('\n')
    const more = restored.missing - restored.missingNames.length
    lines.push(
      `The backups lack ${countOf(restored.missing, 'file')} that the database names:\n${names}` +
        (more > 0 ? `\n  and ${more} more` : ''),
    )
  }
  lines.push(
    'Settings and keys come from the backup. Logs, and emails and notifications that had not been sent, are not restored.',
    restored.hasEndedSessions
      ? 'Everybody has to sign in again, because sessions that ended after that time would be valid again.'
      : 'Everybody stays signed in.',
    'The restored server sends no notifications, no emails and no requests to other servers, and makes no backups, until you ' +
      'confirm that the original is gone.',
    '',
    `Start it:    ${commandLine('start', { data: dataDir })}`,
    `Confirm it:  ${commandLine('resume', { data: dataDir })}   (or in the app: Settings, Server health)`,
  )
  return lines.join('\n')
}

/** `linnet restore FROM`: restores a backup into a new data folder. */
export const restore = defineCommand({
  name: 'restore',
  group: 'Backup',
  summary: 'Restore a backup into an empty data directory',
  help: `Restores the latest state in the backups of the folder <from>, or with --at an earlier state. --at is
a time such as "2026-11-30 14:05:33" or "2026-11-30T14:05:33.250Z". The data directory must be
empty. The restored server sends nothing to other servers until you run "linnet resume".`,
  args: ['<from>'],
  options: {
    at: {
      value: 'TIME',
      help: 'the point in time to restore, in the time zone of this machine\n(default: the latest state)',
    },
    backup: { value: 'NAME', help: 'the backup to start from (default: the last one before that time)' },
    ...keyOptions,
    output: outputOption,
    ...projectOptions,
  },
  async run({ dataDir, options, args }) {
    if (readRunningServer(dataDir) !== null)
      throw new UsageError(`A server is running on ${dataDir}. Restore into another directory with --data.`)
    const at = options.at === undefined ? null : parseMoment(options.at)
    if (at !== null && at > new Date()) throw new UsageError(`${renderMoment(at)} is in the future.`)
    const { dir, selected } = await openBackup(args[0]!, { backup: options.backup, at })
    const identities = await readIdentities(dir, {
      keyFile: options['key-file'],
      passphraseFile: options['passphrase-file'],
      configured: null,
    })
    const format = options.output ?? 'text'
    const progress = createProgress({ stream: process.stderr, format })
    if (at !== null) progress.print(`Restoring the state at ${renderMoment(at)}.`)
    const interruption = (): Error => new BackupError('The restore was interrupted. Nothing was restored.')
    const restored = await runInterruptible(progress, interruption, (signal) =>
      restoreBackup({ from: dir, selected, identities, dataDir, at, progress, signal }),
    )
    process.stdout.write(
      `${format === 'json' ? JSON.stringify(restored) : renderRestored(restored, dataDir)}\n`,
    )
    return 0
  },
})
