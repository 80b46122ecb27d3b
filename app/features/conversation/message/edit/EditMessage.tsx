import { i18n } from '@lingui/core'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Message } from '../../../../../wire/messages.ts'
import { isVisible } from '../../../../../wire/texts.ts'
import { useEditDraft } from '../../../../data/messages/editDrafts.ts'
import { editMessage } from '../../../../data/messages/changeMessages.ts'
import { Button } from '../../../../ui/Button.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { TOUCH_PHONE, useMedia } from '../../../../ui/useMedia.ts'
import { charactersLeft } from '../../writing/charactersLeft.ts'
import { useMentionable } from '../../writing/useMentionable.ts'
import CharacterCount from '../../writing/CharacterCount.tsx'
import { MessageField } from '../../writing/MessageField.tsx'
import type { MessageFieldHandle } from '../../writing/MessageFieldProps.ts'
import { encodeMentions } from '../../../../../wire/body/encodeMentions.ts'
import { Body } from '../../../parts/body/Body.tsx'
import { useMessageActions } from '../menu/useMessageActions.ts'
import styles from './EditMessage.module.css'

interface Props {
  message: Message
  scope: 'channel' | 'thread'
  onEnd: () => void
}

/**
 * Edits a message in place. Enter saves (Ctrl+Enter on touch devices), Escape cancels; the text survives a reload. Saving an empty message without
 * files asks whether to delete it.
 */
export default function EditMessage({ message, scope, onEnd }: Props) {
  const { remove } = useMessageActions(message, scope)
  const showToast = useToast()
  const isTouchPhone = useMedia(TOUCH_PHONE)
  const mentionable = useMentionable()
  const draft = useEditDraft(message.id, message.body)
  const [isConfirmingDelete, setConfirmingDelete] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  /** The composer, if its Arrow up has opened the editor. */
  const [opener] = useState(focusedComposer)
  const field = useRef<MessageFieldHandle>(null)
  const text = draft.text ?? message.body
  const setText = (next: string) => {
    setConfirmingDelete(false)
    draft.setText(next)
  }
  const isEmpty = !isVisible(text) && message.attachments.length === 0
  const left = charactersLeft(text)
  const isTooLong = left !== null && left < 0

  useLayoutEffect(() => {
    root.current?.closest('article')?.scrollIntoView({ block: 'nearest' })
  }, [])

  const end = () => {
    onEnd()
    if (opener?.isConnected) opener.focus({ preventScroll: true })
  }
  const cancel = () => {
    draft.discard()
    end()
  }
  const save = async () => {
    // A stored draft is shown before it replaces the message.
    if (isTooLong || draft.isOutdated || !(await draft.isComplete())) return
    if (isEmpty) return setConfirmingDelete(true)
    const body = encodeMentions(text.trim(), mentionable)
    if (body === message.body) return cancel()
    end()
    const outcome = await editMessage(message.id, body)
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of the field are none of the row
    <div ref={root} className={styles.edit} data-editor onKeyDown={(event) => event.stopPropagation()}>
      <MessageField
        ref={field}
        label={i18n._('Edit message')}
        body={text}
        channelId={message.channel_id}
        isFormatBarShown={isTouchPhone}
        onChange={setText}
        onEnter={() => void save()}
        onEscape={cancel}
        isFocusedFirst
      />
      {left === null ? null : <CharacterCount left={left} />}
      {draft.isOutdated ? (
        <EditedMeanwhile
          body={message.body}
          onTake={() => {
            draft.acceptChange()
            field.current?.replaceAll(message.body)
            field.current?.focus()
          }}
          onKeep={() => {
            draft.acceptChange()
            field.current?.focus()
          }}
        />
      ) : isConfirmingDelete ? (
        <DeletePrompt
          onCancel={cancel}
          onDelete={() => {
            cancel()
            remove()
          }}
        />
      ) : (
        <div className={styles.bar}>
          <p className={styles.hint}>{isTouchPhone ? null : i18n._('Esc to cancel')}</p>
          <Button variant="quiet" onClick={cancel}>
            {i18n._('Cancel')}
          </Button>
          <Button variant="primary" disabled={isTooLong} onClick={() => void save()}>
            {i18n._('Save')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Shows the current text of a message that was edited on another device. Replacing the text of the field can be undone. */
function EditedMeanwhile({ body, onTake, onKeep }: { body: string; onTake: () => void; onKeep: () => void }) {
  return (
    <section aria-label={i18n._('Current text')}>
      <p role="alert" className={styles.hint}>
        {i18n._('This message was edited on another device. It now reads:')}
      </p>
      <blockquote className={styles.present}>
        <Body body={body} />
      </blockquote>
      <div className={styles.bar}>
        <Button variant="quiet" onClick={onTake}>
          {i18n._('Use this text')}
        </Button>
        <Button variant="primary" onClick={onKeep}>
          {i18n._('Keep my text')}
        </Button>
      </div>
    </section>
  )
}

/** Asks whether to delete the message, which has become empty. */
function DeletePrompt({ onCancel, onDelete }: { onCancel: () => void; onDelete: () => void }) {
  const deleteButton = useRef<HTMLButtonElement>(null)
  useEffect(() => deleteButton.current?.focus({ preventScroll: true }), [])
  return (
    <div
      className={styles.bar}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key !== 'Escape') return
        event.preventDefault()
        onCancel()
      }}
    >
      <p role="alert" className={styles.hint}>
        {i18n._('The message is empty. Delete it?')}
      </p>
      <Button variant="quiet" onClick={onCancel}>
        {i18n._('Keep message')}
      </Button>
      <Button ref={deleteButton} variant="danger" onClick={onDelete}>
        {i18n._('Delete message')}
      </Button>
    </div>
  )
}

function focusedComposer(): HTMLElement | null {
  const { activeElement } = document
  return activeElement instanceof HTMLElement && activeElement.closest('[data-compose]')
    ? activeElement
    : null
}
