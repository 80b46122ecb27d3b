import { i18n } from '@lingui/core'
import { retrySend } from '../../../data/messages/changeMessages.ts'
import { Button } from '../../../ui/Button.tsx'
import styles from './SendError.module.css'
import { usePendingActions, type PendingProps } from './usePendingActions.ts'

/** Why a message was refused, with actions that don't lose its text. */
export default function SendError(props: PendingProps) {
  const { message } = props
  const { edit, copyText, discard } = usePendingActions(props)
  const retry = (button: HTMLElement) => {
    // The button disappears; the row remains.
    button.closest('article')?.focus({ preventScroll: true })
    void retrySend(message.id)
  }
  return (
    <div className={styles.error} role="alert">
      <p>
        {message.edits ? <span>{i18n._('Your edit wasn’t saved.')} </span> : null}
        {message.failure?.message ?? i18n._('Couldn’t send.')}
      </p>
      <Button variant="quiet" onClick={(event) => retry(event.currentTarget)}>
        {i18n._('Try again')}
      </Button>
      {edit ? (
        <Button variant="quiet" onClick={edit}>
          {i18n._('Edit again')}
        </Button>
      ) : copyText ? (
        <Button variant="quiet" onClick={copyText}>
          {i18n._('Copy text')}
        </Button>
      ) : null}
      <Button variant="quiet" onClick={discard}>
        {i18n._('Discard')}
      </Button>
    </div>
  )
}
