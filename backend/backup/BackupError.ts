/** Why a backup, or a command that reads one, can't continue: `message` is a sentence for the terminal. */
export class BackupError extends Error {
  override name = 'BackupError'
}

/** Turns errors of the file system, and the end of the database, into sentences. Other errors are defects and keep their stack trace. */
export function asBackupError(error: unknown, path: string): unknown {
  const { code, path: named, message } = error as NodeJS.ErrnoException
  // Class 57 of PostgreSQL's errors: it was stopped.
  if (code?.startsWith('57P0') === true || /^(the connection has ended|Connection terminated)/.test(message))
    return new BackupError('The database was stopped during the backup. Nothing was added.', { cause: error })
  if (error instanceof BackupError || code === undefined) return error
  const where = named ?? path
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new BackupError(
      `The disk is full: ${where} can't be written. Free some space, or choose another folder with --to.`,
      { cause: error },
    )
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new BackupError(
      `${where} can't be read or written (${code}). Check the permissions of the folder.`,
      {
        cause: error,
      },
    )
  if (code === 'EIO')
    return new BackupError(`${where} can't be read or written: the disk reports an error (EIO).`, {
      cause: error,
    })
  return error
}
