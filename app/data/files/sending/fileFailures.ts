import { i18n } from '@lingui/core'
import type { Failure } from '../../failures.ts'

// Here rather than among all failures: these come with what reads and uploads files, not with the first words.

/** The bytes of a file can't be read any more: it was moved or changed on disk, or could not be kept here. */
export function fileGone(name: string): Failure {
  const sentence = i18n._(
    '“{name}” can’t be read any more. It may have been moved or changed: attach it again.',
    {
      name,
    },
  )
  return { name: 'file_gone', sentence, again: false }
}

/** More than any home takes. */
export function fileTooLarge(name: string): Failure {
  const sentence = i18n._('“{name}” is too large: files up to 500 MB can be sent.', { name })
  return { name: 'file_too_large', sentence, again: false }
}

/** Its author may not put files there: no longer a member, or the conversation is closed. */
export function filesRefused(): Failure {
  return { name: 'files_refused', sentence: i18n._('You can’t send files here any more.'), again: false }
}

/** The device has no room for the bytes: they are in the page alone. */
export function filesNotKept(): Failure {
  const sentence = i18n._(
    'The files couldn’t be saved on this device. Keep this page open until they are sent.',
  )
  return { name: 'files_not_kept', sentence, again: false }
}
