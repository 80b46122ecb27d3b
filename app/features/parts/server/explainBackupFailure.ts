import { i18n } from '@lingui/core'

/** Sentences of the server about a failed backup. The first that matches is the reason. */
const reasons: [RegExp, (folder: string) => string][] = [
  [
    /^(?:There is too little space for a backup in (.+?): it|The disk is full: )|ENOSPC/,
    () => i18n._('The disk of the backups has too little space. Free some, or choose another folder.'),
  ],
  [
    /^The backups in (.+) (?:are missing|have disappeared)\./,
    (folder) =>
      i18n._('The backups in {folder} are missing. Mount their disk, or choose another folder.', { folder }),
  ],
  [
    /^(.+) can't be read or written \(E[A-Z]+\)/,
    (folder) => i18n._('Linnet can’t write to {folder}. Check the permissions of this folder.', { folder }),
  ],
  [
    /^Another process (?:backs up|writes to)/,
    () => i18n._('Another backup was running. Wait until it has ended, then try again.'),
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
