import { i18n } from '@lingui/core'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { Message } from '../../../../wire/messages.ts'
import { useEditDraft } from '../../../data/persistence/drafts.ts'
import { editMessage } from '../../../data/messages/messages.ts'
import { useMembers } from '../../../data/people/people.ts'
import { Button } from '../../../ui/Button.tsx'
import { AutoGrowTextarea } from '../../../ui/AutoGrowTextarea.tsx'
import { useToast } from '../../../ui/toast.ts'
import { charactersLeft } from '../../composer/charactersLeft.ts'
import CharacterCount from '../../composer/CharacterCount.tsx'
import MentionList from '../../composer/MentionList.tsx'
import { useMentions } from '../../composer/useMentions.ts'
import { decodeMentions, encodeMentions } from '../../composer/mentionText.ts'
import { useMessageActions } from '../menu/useMessageActions.ts'
import styles from './EditMessage.module.css'

interface Props {
  message: Message
  scope: 'channel' | 'thread'
  onEnd: () => void
}

/**
 * Edits a message in place. Enter saves, Escape cancels; the text survives a reload. Saving an empty message without
 * files asks whether to delete it.
 */
export default function EditMessage({ message, scope, onEnd }: Props) {
  const { remove } = useMessageActions(message, scope)
  const showToast = useToast()
  const people = useMembers().map((member) => member.profile)
  const draft = useEditDraft(message.id)
  const [isTouched, setTouched] = useState(false)
  const [isConfirmingDelete, setConfirmingDelete] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const nameOf = (id: string) => people.find((person) => person.id === id)?.name ?? null
  const isReady = draft.isLoaded
  const text = isTouched ? draft.text : draft.text || decodeMentions(message.body, nameOf)
  // If two people share a name, the one mentioned before stays mentioned.
  const mentionedBefore = people.filter((person) => message.body.includes(`<@${person.id}>`))
  const setText = (next: string) => {
    setTouched(true)
    setConfirmingDelete(false)
    draft.setText(next)
  }
  const mentions = useMentions({ channelId: message.channel_id, text, people, field, onText: setText })
  const mentionable = [...mentions.picked, ...mentionedBefore, ...people]
  const isEmpty = text.trim() === '' && message.attachments.length === 0
  const left = charactersLeft(text, mentionable)
  const isTooLong = left !== null && left < 0

  useEffect(() => {
    const area = field.current
    if (!isReady || !area) return
    area.focus({ preventScroll: true })
    area.setSelectionRange(area.value.length, area.value.length)
    area.closest('article')?.scrollIntoView({ block: 'nearest' })
  }, [field, isReady])

  const cancel = () => {
    draft.setText('')
    onEnd()
  }
  const save = async () => {
    if (isTooLong || !isReady) return
    if (isEmpty) return setConfirmingDelete(true)
    const body = encodeMentions(text.trim(), mentionable)
    if (body === message.body) return cancel()
    onEnd()
    const outcome = await editMessage(message.id, body)
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    event.stopPropagation()
    if (event.nativeEvent.isComposing || event.keyCode === 229 || mentions.onKeyDown(event)) return
    if (event.key === 'Escape') {
      event.preventDefault()
      cancel()
    } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault()
      void save()
    }
  }

  return (
    <div className={styles.edit}>
      {mentions.choices.length ? <MentionList mentions={mentions} /> : null}
      <AutoGrowTextarea
        ref={field}
        label={i18n._('Edit message')}
        value={text}
        readOnly={!isReady}
        {...mentions.field}
        onChange={(next) => {
          setText(next)
          mentions.update()
        }}
        onKeyDown={onKeyDown}
        onClick={mentions.update}
        onBlur={mentions.close}
      />
      {left === null ? null : <CharacterCount left={left} />}
      {isConfirmingDelete ? (
        <DeletePrompt
          onCancel={cancel}
          onDelete={() => {
            cancel()
            remove()
          }}
        />
      ) : (
        <div className={styles.bar}>
          <p className={styles.hint}>{i18n._('Esc to cancel')}</p>
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
      <Button ref={deleteButton} variant="primary" onClick={onDelete}>
        {i18n._('Delete message')}
      </Button>
    </div>
  )
}
