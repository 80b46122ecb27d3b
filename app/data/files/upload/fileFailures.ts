import { i18n } from '@lingui/core'
import { createFailure, registerSentences, type Failure } from '../../failures/failures.ts'

// Apart from other failures: loaded with the code that reads and uploads files, not with the first messages.

/** A file can't be read any more: it was moved or changed on disk, or could not be stored on this device. */
export function fileUnreadable(name: string): Failure {
  const sentence = i18n._('Can’t read “{name}”. It may have been moved or changed; attach it again.', {
    name,
  })
  return { name: 'file_unreadable', message: sentence, isRetryable: false }
}

/**
 * A file is larger than the maximum.
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

/** The author may not upload files there: no longer a member, or the channel is read-only. */
export function filesRefused(): Failure {
  return { name: 'files_refused', message: i18n._('You can no longer send files here.'), isRetryable: false }
}

/** Errors of the database for a file, which the storage service includes in its messages. */
const QUOTAS = /\b(?:person|workspace)_storage_full\b/

/** The quota that a refusal names; null if it names none. */
export function quotaFailure(refusal: string): Failure | null {
  const name = QUOTAS.exec(refusal)?.[0]
  return name === undefined ? null : { ...createFailure(name), isRetryable: false }
}

/** The server's disk is nearly full, and the rest is reserved for the database. */
export function serverFull(): Failure {
  const sentence = i18n._(
    'The server is out of disk space for files. Ask its administrator to free some, then try again.',
  )
  return { name: 'server_full', message: sentence, isRetryable: false }
}

const uploadIncomplete = () => i18n._('One of the files didn’t upload. Remove it and attach it again.')

registerSentences({
  attachments_at_most_ten: () => i18n._('You can attach up to 10 files to a message.'),
  attachments_name_length: () => i18n._('File names can be up to 255 characters.'),
  bad_attachment: uploadIncomplete,
  attachments_missing: uploadIncomplete,
  person_storage_full: () =>
    i18n._(
      'You’ve used all your file storage. Delete messages with files you no longer need, or ask the workspace owner for more.',
    ),
  workspace_storage_full: () =>
    i18n._(
      'This workspace is out of file storage. Delete messages with files you no longer need, or ask the workspace owner for more.',
    ),
})

/** The device has no space for the bytes of files: only this page has them. */
export function filesNotStored(): Failure {
  const sentence = i18n._(
    'The files couldn’t be saved on this device. Keep this page open until they’re sent.',
  )
  return { name: 'files_not_stored', message: sentence, isRetryable: false }
}
