import { i18n } from '@lingui/core'
import { undoDelete } from '../../../data/messages/changeMessages.ts'
import type { Toast } from '../../../ui/toast.ts'

/** Confirms that a message is deleted and offers to undo it. */
export function showDeletedToast(id: string, showToast: (next: Toast) => void): void {
  const undo = async () => {
    if (!(await undoDelete(id)))
      showToast({ text: i18n._('Too late to undo: the message is already deleted.') })
  }
  showToast({
    text: i18n._('Message deleted.'),
    action: { label: i18n._('Undo'), run: () => void undo() },
  })
}
