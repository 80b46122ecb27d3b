import { i18n } from '@lingui/core'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { Message } from '../../../../wire/linnet.ts'
import { useEditDraft } from '../../../data/persistence/drafts.ts'
import { editMessage } from '../../../data/messages/messages.ts'
import { useMembers } from '../../../data/people/people.ts'
import { Button } from '../../../ui/Button.tsx'
import { GrowingText } from '../../../ui/GrowingText.tsx'
import { useNotice } from '../../../ui/notice.ts'
import { charactersLeft } from '../../composer/charactersLeft.ts'
import LengthNote from '../../composer/LengthNote.tsx'
import MentionList from '../../composer/MentionList.tsx'
import { useMentions } from '../../composer/useMentions.ts'
import { decodeMentions, encodeMentions } from '../../composer/mentionText.ts'
import { useMessageDeeds } from '../menu/useMessageDeeds.ts'
import styles from './EditBox.module.css'

interface Props {
  message: Message
  place: 'channel' | 'thread'
  onEnd: () => void
}

/**
 * A message being rewritten in its place. Enter saves, Escape leaves it as it was; what is typed outlives a reload.
 * A message that is left without words and files is deleted, once that was asked.
 */
export default function EditBox({ message, place, onEnd }: Props) {
  const { remove } = useMessageDeeds(message, place)
  const notice = useNotice()
  const people = useMembers().map((member) => member.profile)
  const draft = useEditDraft(message.id)
  const [touched, setTouched] = useState(false)
  const [asking, setAsking] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const nameOf = (id: string) => people.find((person) => person.id === id)?.name ?? null
  const ready = draft.isLoaded
  const text = touched ? draft.text : draft.text || decodeMentions(message.body, nameOf)
  // Of two people with one name, whoever was meant stays meant.
  const before = people.filter((person) => message.body.includes(`<@${person.id}>`))
  const setText = (next: string) => {
    setTouched(true)
    setAsking(false)
    draft.setText(next)
  }
  const mentions = useMentions({ channelId: message.channel_id, text, people, field, onText: setText })
  const meant = [...mentions.picked, ...before, ...people]
  const empty = text.trim() === '' && message.attachments.length === 0
  const left = charactersLeft(text, meant)
  const tooLong = left !== null && left < 0

  useEffect(() => {
    const area = field.current
    if (!ready || !area) return
    area.focus({ preventScroll: true })
    area.setSelectionRange(area.value.length, area.value.length)
    area.closest('article')?.scrollIntoView({ block: 'nearest' })
  }, [field, ready])

  const leave = () => {
    draft.setText('')
    onEnd()
  }
  const save = async () => {
    if (tooLong || !ready) return
    if (empty) return setAsking(true)
    const body = encodeMentions(text.trim(), meant)
    if (body === message.body) return leave()
    onEnd()
    const outcome = await editMessage(message.id, body)
    if (!outcome.ok) notice({ words: outcome.failure.sentence })
  }

  function keyed(event: KeyboardEvent<HTMLTextAreaElement>) {
    event.stopPropagation()
    if (event.nativeEvent.isComposing || event.keyCode === 229 || mentions.keyed(event)) return
    if (event.key === 'Escape') {
      event.preventDefault()
      leave()
    } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault()
      void save()
    }
  }

  return (
    <div className={styles.edit}>
      {mentions.choices.length ? <MentionList mentions={mentions} /> : null}
      <GrowingText
        ref={field}
        label={i18n._('Edit message')}
        value={text}
        readOnly={!ready}
        {...mentions.field}
        onChange={(next) => {
          setText(next)
          mentions.look()
        }}
        onKeyDown={keyed}
        onClick={mentions.look}
        onBlur={mentions.close}
      />
      {left === null ? null : <LengthNote left={left} />}
      {asking ? (
        <Question
          onKeep={leave}
          onDelete={() => {
            leave()
            remove()
          }}
        />
      ) : (
        <div className={styles.bar}>
          <p className={styles.hint}>{i18n._('Esc to cancel')}</p>
          <Button look="quiet" onClick={leave}>
            {i18n._('Cancel')}
          </Button>
          <Button look="primary" disabled={tooLong} onClick={() => void save()}>
            {i18n._('Save')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Nothing is left of the message: is it to be deleted? */
function Question({ onKeep, onDelete }: { onKeep: () => void; onDelete: () => void }) {
  const yes = useRef<HTMLButtonElement>(null)
  useEffect(() => yes.current?.focus({ preventScroll: true }), [])
  return (
    <div
      className={styles.bar}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key !== 'Escape') return
        event.preventDefault()
        onKeep()
      }}
    >
      <p role="alert" className={styles.hint}>
        {i18n._('The message is empty. Delete it?')}
      </p>
      <Button look="quiet" onClick={onKeep}>
        {i18n._('Keep it')}
      </Button>
      <Button ref={yes} look="primary" onClick={onDelete}>
        {i18n._('Delete message')}
      </Button>
    </div>
  )
}
