import { setPriority } from 'node:os'
import { BackupError } from '../backup/BackupError.ts'
import { verifyBackup } from '../restore/verifyBackup.ts'
import { niceness, outputOption, readInstallation } from './backup.ts'
import { defineCommand } from './Command.ts'
import { projectOptions } from './findProject.ts'
import { createProgress, renderSize } from './progress.ts'
import { keyOptions, openBackup, readIdentities } from './restore.ts'
import { runInterruptible } from './runInterruptible.ts'

/** `linnet backup verify`: proves that a backup can be restored. */
export const backupVerify = defineCommand({
  name: 'backup verify',
  group: 'Backup',
  summary: 'Prove that a backup can be restored',
  help: `Restores the last backup into a temporary folder in the data directory, starts PostgreSQL on it,
and compares rows and files. The server can keep running. Server health shows the result.`,
  options: {
    to: { value: 'DIR', help: 'folder of the backups (default: backup.to of the settings)' },
    backup: { value: 'NAME', help: 'the backup to check (default: the last one)' },
    quick: { help: 'read only 500 files, and check that the others exist' },
    ...keyOptions,
    output: outputOption,
    ...projectOptions,
  },
  async run({ dataDir, supabaseDir, options }) {
    setPriority(niceness)
    const { settings, repository } = readInstallation({ dataDir, supabaseDir }, options.to)
    const { dir, selected } = await openBackup(repository, { backup: options.backup, at: null })
    const identities = await readIdentities(dir, {
      keyFile: options['key-file'],
      passphraseFile: options['passphrase-file'],
      configured: settings.passphrase,
    })
    const format = options.output ?? 'text'
    const progress = createProgress({ stream: process.stderr, format })
    const interruption = (): Error => new BackupError('The check was interrupted.')
    const restored = await runInterruptible(progress, interruption, (signal) =>
      verifyBackup(dataDir, { from: dir, selected, identities, quick: options.quick, progress, signal }),
    )
    const sentence =
      `Backup ${restored.backup} can be restored. It has ${restored.files === 1 ? 'one file' : `${restored.files} files`} ` +
      `(${renderSize(restored.fileBytes)} were read), and as many rows as the database had.`
    process.stdout.write(`${format === 'json' ? JSON.stringify(restored) : sentence}\n`)
    return 0
  },
})
