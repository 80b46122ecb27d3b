import { i18n } from '@lingui/core'
import type { Attachment } from '../../../../wire/files.ts'
import type { Message } from '../../../../wire/messages.ts'
import { plainText, type NameOf } from './plainText.ts'

/** A message as one line: its text; without one the names of its files, as in notifications (`app.push_text`). */
export function excerptOf(
  {
    body,
    attachments,
    extras,
  }: Pick<Message, 'body' | 'extras'> & { attachments: readonly Pick<Attachment, 'name'>[] },
  nameOf?: NameOf,
): string {
  return (
    plainText(body, nameOf) ||
    attachments.map(({ name }) => name).join(', ') ||
    (extras?.forward ? i18n._('A forwarded message') : '…')
  )
}
