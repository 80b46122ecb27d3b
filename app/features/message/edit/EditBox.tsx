import { i18n } from '@lingui/core'
import { useEffect, useRef, useState } from 'react'
import { LIMITS, type Message } from '../../../../wire/linnet.ts'
import { editMessage } from '../../../data/messages.ts'
import { useMembers } from '../../../data/people.ts'
import { Button } from '../../../ui/Button.tsx'
import { GrowingText } from '../../../ui/GrowingText.tsx'
import { decodeMentions, encodeMentions } from '../../composer/mentionText.ts'
import styles from './EditBox.module.css'

/** A message being rewritten in its place. Enter saves, Escape leaves it as it was. */
export default function EditBox({ message, onEnd }: { message: Message; onEnd: () => void }) {
  const people = useMembers().map((member) => member.profile)
  const [text, setText] = useState(() =>
    decodeMentions(message.body, (id) => people.find((person) => person.id === id)?.name ?? null),
  )
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)

  useEffect(() => {
    const area = field.current
    area?.focus({ preventScroll: true })
    area?.setSelectionRange(area.value.length, area.value.length)
    area?.closest('article')?.scrollIntoView({ block: 'nearest' })
  }, [])

  const empty = text.trim() === '' && message.attachments.length === 0
  const save = async () => {
    // Of two people with one name, whoever was meant stays meant.
    const meant = people.filter((person) => message.body.includes(`<@${person.id}>`))
    const body = encodeMentions(text.trim(), [...meant, ...people])
    if (empty || busy) return
    if (body === message.body) return onEnd()
    setBusy(true)
    const outcome = await editMessage(message.id, body)
    setBusy(false)
    if (outcome.ok) onEnd()
    else setFailure(outcome.failure.sentence)
  }

  return (
    <div className={styles.edit}>
      <GrowingText
        ref={field}
        label={i18n._('Edit message')}
        value={text}
        maxLength={LIMITS.messageCharacters}
        onChange={setText}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Escape') onEnd()
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault()
            void save()
          }
        }}
      />
      <div className={styles.bar}>
        <p role="status" className={styles.hint}>
          {failure ?? i18n._('Escape to leave it as it was')}
        </p>
        <Button look="quiet" onClick={onEnd}>
          {i18n._('Cancel')}
        </Button>
        <Button look="primary" busy={busy} disabled={empty} onClick={() => void save()}>
          {i18n._('Save')}
        </Button>
      </div>
    </div>
  )
}
