import { i18n } from '@lingui/core'
import { useEffect, useRef, useState } from 'react'
import { formFailure } from '../../ui/fieldFailure.ts'
import type { ScheduledMessage } from '../../../wire/messages.ts'
import { isVisible } from '../../../wire/texts.ts'
import { changeAttachedFiles } from '../../data/messages/attachedFiles.ts'
import { changeScheduledMessage } from '../../data/messages/scheduledMessages.ts'
import { AttachButton } from '../../features/conversation/composer/attachments/AttachButton.tsx'
import LocationDialog from '../../features/conversation/composer/attachments/LocationDialog.tsx'
import AttachmentList from '../../features/conversation/composer/attachments/AttachmentList.tsx'
import { useAttachments } from '../../features/conversation/composer/attachments/useAttachments.ts'
import { charactersLeft } from '../../features/conversation/writing/charactersLeft.ts'
import { MessageField } from '../../features/conversation/writing/MessageField.tsx'
import type { MessageFieldHandle } from '../../features/conversation/writing/MessageFieldProps.ts'
import { useMentionable } from '../../features/conversation/writing/useMentionable.ts'
import CharacterCount from '../../features/conversation/writing/CharacterCount.tsx'
import composer from '../../features/conversation/composer/Composer.module.css'
import { encodeMentions } from '../../../wire/body/encodeMentions.ts'
import { formatTimeField, parseTimeField } from '../../features/parts/times/localTime.ts'
import { TimeField } from '../../features/parts/times/TimeField.tsx'
import { uploadFiles, useUploads } from '../../features/conversation/composer/schedule/useUploads.ts'
import { FormDialog } from '../../ui/FormDialog.tsx'
import styles from './EditScheduled.module.css'

/** Changes the text, the files and the time of a scheduled message. Closing the dialog ends its uploads. */
export default function EditScheduled({ row, onClose }: { row: ScheduledMessage; onClose: () => void }) {
  const mentionable = useMentionable()
  const field = useRef<MessageFieldHandle>(null)
  const fields = useRef<HTMLDivElement>(null)
  const [text, setText] = useState(row.body)
  const [initial] = useState(() => formatTimeField(new Date(row.send_at)))
  const [time, setTime] = useState(initial)
  const [busy, setBusy] = useState(false)
  const [unusable, setUnusable] = useState<string | null>(null)
  const left = charactersLeft(text)
  const [kept, setKept] = useState(row.files ?? [])
  const attachmentsKey = `scheduled ${row.id}`
  const attachments = useAttachments(fields, attachmentsKey, { taken: kept.length, report: setUnusable })
  useEffect(() => () => changeAttachedFiles(attachmentsKey, () => []), [attachmentsKey])
  const files = [...kept, ...attachments.files]
  const uploads = useUploads()
  const isEmpty = !isVisible(text) && files.length === 0
  const isPreparing = attachments.preparing || attachments.undecided.length > 0
  const submit = async () => {
    const at = parseTimeField(time)
    if (!at) return formFailure(i18n._('Choose a day and a time first.'), 'time')
    if (isEmpty || isPreparing || (left !== null && left < 0)) return null
    // The fields are inert meanwhile.
    fields.current?.closest('form')?.querySelector<HTMLElement>('[type=submit]')?.focus()
    setBusy(true)
    setUnusable(null)
    const outcome = await uploads.run(async (watch) => {
      const uploaded = await uploadFiles(row.channel_id, attachments.files, watch)
      if (!uploaded.ok) return uploaded
      return changeScheduledMessage(row.id, {
        body: encodeMentions(text.trim(), mentionable),
        ...(kept.length === (row.files?.length ?? 0) ? {} : { kept_files: kept.map(({ id }) => id) }),
        attachments: uploaded.value,
        // A time that could not be met is sent too: the server refuses one in the past.
        ...(time === initial && row.problem === null ? {} : { send_at: at.toISOString() }),
      })
    })
    if (outcome) setBusy(false)
    return outcome?.ok === false && outcome.failure.name === 'not_found'
      ? formFailure(i18n._('This message has already been sent.'))
      : outcome
  }
  return (
    <FormDialog
      title={i18n._('Edit scheduled message')}
      action={i18n._('Save')}
      run={submit}
      isDisabled={isEmpty || isPreparing}
      failure={unusable}
      hasChoices={attachments.files.length > 0 || text !== row.body}
      onClose={onClose}
    >
      <div ref={fields} data-pane className={styles.fields} inert={busy}>
        <div className={styles.message}>
          {attachments.isDraggedOver ? (
            <div className={composer.drop}>{i18n._('Drop files to attach')}</div>
          ) : null}
          <MessageField
            ref={field}
            label={i18n._('Message')}
            className={styles.text}
            body={text}
            channelId={row.channel_id}
            threadRoot={row.thread_root}
            onChange={setText}
            onFiles={attachments.add}
            onEnter={() => fields.current?.closest('form')?.requestSubmit()}
          />
          {left === null ? null : <CharacterCount left={left} />}
          {files.length > 0 || attachments.preparing ? (
            <AttachmentList
              files={files}
              preparing={attachments.preparing}
              onRemove={(id) => {
                if (kept.some((file) => file.id === id)) setKept(kept.filter((file) => file.id !== id))
                else attachments.remove(id)
              }}
              field={field}
            />
          ) : null}
          <div className={composer.bar}>
            <AttachButton onFiles={attachments.add} />
          </div>
        </div>
        <TimeField label={i18n._('Send at')} value={time} onChange={setTime} />
      </div>
      {uploads.status === null ? null : <p role="status">{uploads.status}</p>}
      {attachments.undecided.length > 0 ? (
        <LocationDialog files={attachments.undecided} onDecide={attachments.decide} />
      ) : null}
    </FormDialog>
  )
}
