import { i18n } from '@lingui/core'
import { undoDelete } from '../../../../data/messages/changeMessages.ts'
import type { Toast } from '../../../../ui/toast.ts'

/**
 * Confirms that messages are deleted and offers to undo it. `othersCount`: selected messages of other people, which are
 * not deleted.
 */
export function showDeletedToast(
  ids: readonly string[],
  showToast: (next: Toast) => void,
  othersCount = 0,
): void {
  const undo = async () => {
    const undone = await Promise.all(ids.map(undoDelete))
    const count = undone.filter((isUndone) => !isUndone).length
    if (count > 0)
      showToast({
        text: i18n._(
          '{count, plural, one {Too late to undo: the message is already deleted.} other {Too late to undo: # messages are already deleted.}}',
          { count },
        ),
      })
  }
  const done = i18n._('{count, plural, one {Message deleted.} other {# messages deleted.}}', {
    count: ids.length,
  })
  const others = i18n._(
    '{count, plural, one {# message from someone else stays.} other {# messages from other people stay.}}',
    { count: othersCount },
  )
  showToast({
    text: othersCount > 0 ? `${done} ${others}` : done,
    action: { label: i18n._('Undo'), run: () => void undo() },
  })
}
