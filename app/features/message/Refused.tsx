import { i18n } from '@lingui/core'
import { keepEditDraft } from '../../data/persistence/drafts.ts'
import { discardSend, retrySend, type TakenBack } from '../../data/messages/messages.ts'
import { useMembers } from '../../data/people/people.ts'
import type { PendingMessage } from '../../data/messages/timeline.ts'
import { Button } from '../../ui/Button.tsx'
import { useNotice } from '../../ui/notice.ts'
import { decodeMentions } from '../composer/mentionText.ts'
import styles from './Refused.module.css'

interface Props {
  message: PendingMessage
  onWords: ((words: TakenBack) => void) | null
  onEdit: ((id: string) => void) | undefined
}

/** Why words were not taken, and the ways on: none of them loses a word unasked. */
export default function Refused({ message, onWords, onEdit }: Props) {
  const notice = useNotice()
  const members = useMembers()
  const { edits } = message
  const nameOf = (id: string) => members.find((one) => one.profile.id === id)?.profile.name ?? null
  const retry = (button: HTMLElement) => {
    // The button goes at once; the row stays.
    button.closest('article')?.focus({ preventScroll: true })
    void retrySend(message.id)
  }
  const editAgain = async () => {
    const words = await discardSend(message.id)
    if (!words) return
    if (edits && onEdit) {
      await keepEditDraft(edits, decodeMentions(words.body, nameOf))
      onEdit(edits)
    } else onWords?.(words)
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(decodeMentions(message.body, nameOf))
      notice({ words: i18n._('Text copied.') })
    } catch {
      notice({ words: i18n._('Couldn’t copy to the clipboard.') })
    }
  }
  const discard = async () => {
    const words = await discardSend(message.id)
    notice({
      words: edits ? i18n._('Change discarded.') : i18n._('Message discarded.'),
      ...(words && onWords && !edits ? { action: { label: i18n._('Undo'), run: () => onWords(words) } } : {}),
    })
  }
  const mayEdit = edits ? onEdit !== undefined : onWords !== null
  return (
    <div className={styles.refused} role="alert">
      <p>
        {edits ? <span>{i18n._('Your edit wasn’t saved.')} </span> : null}
        {message.failure?.sentence ?? i18n._('Couldn’t send.')}
      </p>
      <Button look="quiet" onClick={(event) => retry(event.currentTarget)}>
        {i18n._('Try again')}
      </Button>
      {mayEdit ? (
        <Button look="quiet" onClick={() => void editAgain()}>
          {i18n._('Edit again')}
        </Button>
      ) : message.body ? (
        <Button look="quiet" onClick={() => void copy()}>
          {i18n._('Copy text')}
        </Button>
      ) : null}
      <Button look="quiet" onClick={() => void discard()}>
        {i18n._('Discard')}
      </Button>
    </div>
  )
}
