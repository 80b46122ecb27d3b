import { keyStorageOf, readKeys } from '../backup/repository/keys.ts'
import { openRepository, saveInfo } from '../backup/repository/openRepository.ts'
import { renderRecoverySheet } from '../backup/recoverySheet.ts'
import { rotateKey } from '../backup/rotateKey.ts'
import { readBackupState, writeBackupState } from '../backup/state.ts'
import { claimRepository } from '../backup/target/writer.ts'
import { readRestoreMarker } from '../restore/marker.ts'
import { readRunningServer } from '../startup/runningServer.ts'
import { UsageError, defineCommand } from './Command.ts'
import { commandLine } from '../runtime/commandName.ts'
import { passphraseFile, readInstallation, readPassphrase } from './backup.ts'
import { projectOptions } from './findProject.ts'
import { readSecretLine } from './readSecretLine.ts'

const to = { value: 'DIR', help: 'folder of the backups (default: backup.to of the settings)' } as const

/** The passphrase of protected keys: from a file, the settings or the terminal; null where keys are not protected. */
async function requirePassphrase(dir: string, configured: string | null): Promise<string | null> {
  if (keyStorageOf(dir) !== 'passphrase') return null
  return configured ?? (await readSecretLine('Passphrase of the backups'))
}

/** Records in the state whether the sheet of the current key was printed. */
async function recordSheet(dataDir: string, dir: string, hasRecoverySheet: boolean): Promise<void> {
  const { backup } = readBackupState(dataDir)
  if (backup?.dir !== dir) return
  await writeBackupState(dataDir, 'backup', { ...backup, hasRecoverySheet, keyStorage: keyStorageOf(dir) })
}

/** `linnet backup key`: prints the recovery sheet. */
export const backupKey = defineCommand({
  name: 'backup key',
  group: 'Backup',
  summary: 'Print the recovery sheet: the key of the backups and how to restore',
  help: `The sheet is one page of plain text. Send it to a printer: linnet backup key | lp
Anyone who has the sheet and a copy of the backups can read all data.`,
  options: { to, 'passphrase-file': passphraseFile, ...projectOptions },
  async run({ dataDir, supabaseDir, options }) {
    const found = readInstallation({ dataDir, supabaseDir }, options.to)
    const repository = await openRepository(found.repository)
    const configured = readPassphrase(options['passphrase-file'], found.settings)
    const keys = await readKeys(repository.dir, await requirePassphrase(repository.dir, configured))
    process.stdout.write(
      renderRecoverySheet({
        installation: found.installation,
        url: readRunningServer(dataDir)?.url ?? null,
        dir: repository.dir,
        keys,
        printedAt: new Date(),
      }),
    )
    // A restored copy leaves the backups of its original as they are.
    if (readRestoreMarker(dataDir) !== null) return 0
    await saveInfo(repository, { recoverySheetAt: new Date().toISOString() })
    await recordSheet(dataDir, repository.dir, true)
    return 0
  },
})

/** `linnet backup key rotate`: new backups use a new key, and old ones stay readable. */
export const backupKeyRotate = defineCommand({
  name: 'backup key rotate',
  group: 'Backup',
  summary: 'Create a new key for future backups; old backups stay readable',
  help: `Earlier keys stay in the folder of the backups. --passphrase protects all keys with a new
passphrase, which you type. --new-passphrase-file reads it from a file instead. A restore then
needs this passphrase.`,
  options: {
    to,
    passphrase: { help: 'protect the keys with a new passphrase' },
    'passphrase-file': passphraseFile,
    'new-passphrase-file': { value: 'FILE', help: 'file with the new passphrase' },
    ...projectOptions,
  },
  async run({ dataDir, supabaseDir, options }) {
    const found = readInstallation({ dataDir, supabaseDir }, options.to)
    const isRestored = readRestoreMarker(dataDir) !== null
    const { dir } = await claimRepository(await openRepository(found.repository), { dataDir, isRestored })
    const configured = readPassphrase(options['passphrase-file'], found.settings)
    const passphrase = await requirePassphrase(dir, configured)
    const newFile = options['new-passphrase-file']
    let newPassphrase = passphrase
    if (newFile !== undefined) newPassphrase = readPassphrase(newFile, found.settings)
    else if (options.passphrase) {
      newPassphrase = await readSecretLine('New passphrase')
      if ((await readSecretLine('Again')) !== newPassphrase)
        throw new UsageError('The passphrases differ. Nothing was changed.')
    }
    await rotateKey(dir, { passphrase, newPassphrase })
    await recordSheet(dataDir, dir, false)
    process.stdout.write(
      'The next backup uses a new key. Print the new recovery sheet now, which has the earlier keys too: ' +
        `${commandLine('backup key', options)}\n`,
    )
    return 0
  },
})
