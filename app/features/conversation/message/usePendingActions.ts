import { i18n } from '@lingui/core'
import { storeEditDraft } from '../../../data/messages/editDrafts.ts'
import { discardSend } from '../../../data/messages/changeMessages.ts'
import { type DiscardedMessage } from '../../../data/messages/messages.ts'
import type { PendingMessage } from '../../../data/messages/timeline.ts'
import { useToast } from '../../../ui/toast.ts'
import { useCopy } from '../../../ui/useCopy.ts'
import { decodeMentions } from '../../parts/body/mentionText.ts'

export interface PendingProps {
  message: PendingMessage
  /** Receives the text of a discarded message; null where there is no composer. */
  onRestore: ((message: DiscardedMessage) => void) | null
  /** Opens the edit of a message again after it was refused. */
  onEdit?: ((id: string) => void) | undefined
}

interface PendingActions {
  /** Takes the message back to edit it; null where that is impossible. */
  edit: (() => void) | null
  /** Copies the text; null if there is none. */
  copyText: (() => void) | null
  discard: () => void
}

/** Actions of a message that was refused or waits to be sent. None of them loses its text. */
export function usePendingActions({ message, onRestore, onEdit }: PendingProps): PendingActions {
  const showToast = useToast()
  const copy = useCopy()
  const { id, edits, body } = message
  const edit = async () => {
    const discarded = await discardSend(id)
    if (!discarded) return
    if (edits && onEdit) {
      await storeEditDraft(edits, discarded.body)
      onEdit(edits)
    } else onRestore?.(discarded)
  }
  const discard = async () => {
    const discarded = await discardSend(id)
    showToast({
      text: edits ? i18n._('Change discarded.') : i18n._('Message discarded.'),
      ...(discarded && onRestore && !edits
        ? { action: { label: i18n._('Undo'), run: () => onRestore(discarded) } }
        : {}),
    })
  }
  const mayEdit = edits ? onEdit !== undefined : onRestore !== null
  return {
    edit: mayEdit ? () => void edit() : null,
    copyText: body ? () => void copy(decodeMentions(body), i18n._('Text copied.')) : null,
    discard: () => void discard(),
  }
}
