import { i18n } from '@lingui/core'
import { storeEditDraft } from '../../../data/messages/editDrafts.ts'
import { discardSend, retrySend } from '../../../data/messages/changeMessages.ts'
import { type DiscardedMessage } from '../../../data/messages/messages.ts'
import type { PendingMessage } from '../../../data/messages/timeline.ts'
import { Button } from '../../../ui/Button.tsx'
import { useToast } from '../../../ui/toast.ts'
import { useCopy } from '../../../ui/useCopy.ts'
import { decodeMentions } from '../../parts/body/mentionText.ts'
import styles from './SendError.module.css'

interface Props {
  message: PendingMessage
  onRestore: ((message: DiscardedMessage) => void) | null
  onEdit: ((id: string) => void) | undefined
}

/** Why a message was refused, with actions that don't lose its text. */
export default function SendError({ message, onRestore, onEdit }: Props) {
  const showToast = useToast()
  const { edits } = message
  const retry = (button: HTMLElement) => {
    // The button disappears; the row remains.
    button.closest('article')?.focus({ preventScroll: true })
    void retrySend(message.id)
  }
  const editAgain = async () => {
    const discarded = await discardSend(message.id)
    if (!discarded) return
    if (edits && onEdit) {
      await storeEditDraft(edits, discarded.body)
      onEdit(edits)
    } else onRestore?.(discarded)
  }
  const copy = useCopy()
  const discard = async () => {
    const discarded = await discardSend(message.id)
    showToast({
      text: edits ? i18n._('Change discarded.') : i18n._('Message discarded.'),
      ...(discarded && onRestore && !edits
        ? { action: { label: i18n._('Undo'), run: () => onRestore(discarded) } }
        : {}),
    })
  }
  const mayEdit = edits ? onEdit !== undefined : onRestore !== null
  return (
    <div className={styles.error} role="alert">
      <p>
        {edits ? <span>{i18n._('Your edit wasn’t saved.')} </span> : null}
        {message.failure?.message ?? i18n._('Couldn’t send.')}
      </p>
      <Button variant="quiet" onClick={(event) => retry(event.currentTarget)}>
        {i18n._('Try again')}
      </Button>
      {mayEdit ? (
        <Button variant="quiet" onClick={() => void editAgain()}>
          {i18n._('Edit again')}
        </Button>
      ) : message.body ? (
        <Button
          variant="quiet"
          onClick={() => void copy(decodeMentions(message.body), i18n._('Text copied.'))}
        >
          {i18n._('Copy text')}
        </Button>
      ) : null}
      <Button variant="quiet" onClick={() => void discard()}>
        {i18n._('Discard')}
      </Button>
    </div>
  )
}
