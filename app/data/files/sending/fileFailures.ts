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
