import { i18n } from '@lingui/core'
import { useRef, useState } from 'react'
import type { ScheduledMessage } from '../../../wire/messages.ts'
import { useSidebar } from '../../data/channels/channels.ts'
import { changeScheduledMessage } from '../../data/messages/scheduledMessages.ts'
import { useMembers } from '../../data/people/people.ts'
import { charactersLeft } from '../../features/composer/charactersLeft.ts'
import CharacterCount from '../../features/composer/CharacterCount.tsx'
import { decodeMentions, encodeMentions, mentionedIn } from '../../features/composer/mentionText.ts'
import { formatTimeField, parseTimeField } from '../../features/schedule/localTime.ts'
import { TimeField } from '../../features/schedule/TimeField.tsx'
import { AutoGrowTextarea } from '../../ui/AutoGrowTextarea.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import layout from '../../ui/dialogLayout.module.css'
import { Form } from '../../ui/Form.tsx'
import styles from './EditScheduled.module.css'
import { ScheduledFiles } from './ScheduledFiles.tsx'

/** Changes the text and the time of a scheduled message, and removes files. */
export default function EditScheduled({ row, onClose }: { row: ScheduledMessage; onClose: () => void }) {
  const people = useMembers().map((member) => member.profile)
  const channels = useSidebar().channels.map(({ id, name }) => ({ id, name, isChannel: true }))
  const mentionable = [...mentionedIn(row.body), ...people, ...channels]
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(() => decodeMentions(row.body))
  const [initial] = useState(() => formatTimeField(new Date(row.send_at)))
  const [time, setTime] = useState(initial)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const left = charactersLeft(text, mentionable)
  const [files, setFiles] = useState(row.files ?? [])
  const isEmpty = text.trim() === '' && files.length === 0
  const submit = async () => {
    const at = parseTimeField(time)
    if (!at) return setFailure(i18n._('Choose a day and a time first.'))
    if (isEmpty || (left !== null && left < 0)) return
    setBusy(true)
    const outcome = await changeScheduledMessage(row.id, {
      body: encodeMentions(text.trim(), mentionable),
      ...(files.length === (row.files?.length ?? 0) ? {} : { files: files.map(({ id }) => id) }),
      // A time that could not be met is sent too: the server refuses one in the past.
      ...(time === initial && row.problem === null ? {} : { send_at: at.toISOString() }),
    })
    setBusy(false)
    if (outcome.ok) return onClose()
    setFailure(
      outcome.failure.name === 'not_found'
        ? i18n._('This message has already been sent.')
        : outcome.failure.message,
    )
  }
  return (
    <Dialog title={i18n._('Edit scheduled message')} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void submit()} failure={failure}>
          <AutoGrowTextarea
            ref={field}
            label={i18n._('Message')}
            className={styles.text}
            value={text}
            onChange={setText}
          />
          {left === null ? null : <CharacterCount left={left} />}
          <ScheduledFiles files={files} onRemove={(id) => setFiles(files.filter((file) => file.id !== id))} />
          <TimeField label={i18n._('Send at')} value={time} onChange={setTime} />
          <div className={layout.footer}>
            <Button onClick={onClose}>{i18n._('Cancel')}</Button>
            <Button type="submit" variant="primary" busy={busy} disabled={isEmpty}>
              {i18n._('Save')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
