import { i18n } from '@lingui/core'
import { createFailure, registerSentences, type Failure } from '../../failures/failures.ts'

// Here rather than among all failures: these come with what reads and uploads files, not with the first words.

/** The bytes of a file can't be read any more: it was moved or changed on disk, or could not be kept here. */
export function fileUnreadable(name: string): Failure {
  const sentence = i18n._('Can’t read “{name}”. It may have been moved or changed; attach it again.', {
    name,
  })
  return { name: 'file_unreadable', message: sentence, isRetryable: false }
}

/**
 * More than can be uploaded.
 * @param limit bytes of the largest file; null where the server refused this one without stating a limit
 */
export function fileTooLarge(name: string, limit: number | null): Failure {
  const sentence =
    limit === null
      ? i18n._('“{name}” is too large for this server. Choose a smaller file.', { name })
      : i18n._('“{name}” is too large. The limit is {limit}.', { name, limit: limitOf(limit) })
  return { name: 'file_too_large', message: sentence, isRetryable: false }
}

/** "50 MB" for 50 MiB: limits are set in these units, and a file of that many decimal megabytes fits too. */
function limitOf(bytes: number): string {
  const format = { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(i18n.locales ?? i18n.locale, format).format(bytes / 1024 ** 2)
}

/** Its author may not put files there: no longer a member, or the conversation is closed. */
export function filesRefused(): Failure {
  return { name: 'files_refused', message: i18n._('You can no longer send files here.'), isRetryable: false }
}

/** What the database refuses a file with, in whatever words the storage service passes it on. */
const QUOTAS = /\b(?:person|workspace)_storage_full\b/

/** The quota that a refusal names; null if it names none. */
export function quotaFailure(refusal: string): Failure | null {
  const name = QUOTAS.exec(refusal)?.[0]
  return name === undefined ? null : { ...createFailure(name), isRetryable: false }
}

/** The server keeps the rest of its disk for the database. */
export function serverFull(): Failure {
  const sentence = i18n._(
    'The server is out of disk space for files. Ask its administrator to free some, then try again.',
  )
  return { name: 'server_full', message: sentence, isRetryable: false }
}

registerSentences({
  person_storage_full: () =>
    i18n._(
      'You’ve used all your file storage. Delete messages with files you no longer need, or ask the workspace owner for more.',
    ),
  workspace_storage_full: () =>
    i18n._(
      'This workspace is out of file storage. Delete messages with files you no longer need, or ask the workspace owner for more.',
    ),
})

/** The device has no room for the bytes: they are in the page alone. */
export function filesNotStored(): Failure {
  const sentence = i18n._(
    'The files couldn’t be saved on this device. Keep this page open until they’re sent.',
  )
  return { name: 'files_not_stored', message: sentence, isRetryable: false }
}
