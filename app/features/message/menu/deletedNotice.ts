import { i18n } from '@lingui/core'
import { undoDelete } from '../../../data/messages/messages.ts'
import type { Notice } from '../../../ui/notice.ts'

/** Says that a message is deleted, and how to have it back. */
export function deletedNotice(id: string, notice: (next: Notice) => void): void {
  const undo = async () => {
    if (!(await undoDelete(id)))
      notice({ words: i18n._('Too late to undo: the message is already deleted.') })
  }
  notice({
    words: i18n._('Message deleted.'),
    action: { label: i18n._('Undo'), run: () => void undo() },
  })
}
