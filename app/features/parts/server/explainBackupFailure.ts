import { i18n } from '@lingui/core'

/** Sentences of the server about a failed backup. The first that matches is the reason. */
const reasons: [RegExp, (folder: string) => string][] = [
  [
    /^(?:There is too little space for a backup in (.+?): it|The disk is full: )|ENOSPC/,
    () =>
      i18n._('There isn’t enough disk space for the backup. Free up space, or choose another backup folder.'),
  ],
  [
    /^The backups in (.+) (?:are missing|have disappeared)\./,
    (folder) =>
      i18n._(
        'Linnet can’t find its backups in {folder}. If this folder is on another disk, connect that disk again. Otherwise, choose another backup folder.',
        { folder },
      ),
  ],
  [
    /^(.+) can't be read or written \(E[A-Z]+\)/,
    (path) =>
      i18n._('Linnet can’t read or write {path}. Check the permissions, and that the disk isn’t read-only.', {
        path,
      }),
  ],
  [
    /^Another process (?:backs up|writes to)/,
    () => i18n._('Another process was using the backups. Try again in a few minutes.'),
  ],
  [
    /^The backup (?:ended unexpectedly|was interrupted)|^The database was stopped/,
    () => i18n._('The backup was interrupted. Try again.'),
  ],
]

/** Why a backup failed, in the language of the reader; null for a sentence that is not known. */
export function explainBackupFailure(reason: string): string | null {
  for (const [pattern, explain] of reasons) {
    const found = pattern.exec(reason)
    if (found) return explain(found[1] ?? '')
  }
  return null
}
