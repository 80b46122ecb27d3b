import { i18n } from '@lingui/core'
import { useEffect, useRef, useState } from 'react'
import type { Outcome } from '../../../data/failures/failures.ts'
import type { UploadWatch } from '../../../data/messages/uploadScheduledFiles.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { Form } from '../../../ui/Form.tsx'
import { atHour, formatTimeField, parseTimeField } from '../../schedule/localTime.ts'
import { TimeField } from '../../schedule/TimeField.tsx'
import { TimePhraseField } from '../../schedule/TimePhraseField.tsx'

interface Props {
  /** The time that is offered first. */
  first?: Date
  onSchedule: (at: Date, watch: UploadWatch) => Promise<Outcome>
  onClose: () => void
}

/** Chooses any minute at which a message is sent. Uploads its files first; closing the dialog ends that. */
export default function ScheduleDialog({ first, onSchedule, onClose }: Props) {
  const [value, setValue] = useState(() => formatTimeField(first ?? atHour(1)))
  const [share, setShare] = useState<number | null>(null)
  const uploads = useRef<AbortController | null>(null)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => () => uploads.current?.abort('removed'), [])
  const submit = async () => {
    const at = parseTimeField(value)
    if (!at) return setFailure(i18n._('Choose a day and a time first.'))
    setBusy(true)
    setFailure(null)
    uploads.current = new AbortController()
    const { signal } = uploads.current
    const outcome = await onSchedule(at, { signal, onProgress: setShare })
    setBusy(false)
    setShare(null)
    if (signal.aborted) return
    if (outcome.ok) onClose()
    else setFailure(outcome.failure.message)
  }
  return (
    <Dialog title={i18n._('Schedule message')} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void submit()} failure={failure}>
          <TimePhraseField onTime={({ at }) => setValue(formatTimeField(at))} />
          <TimeField label={i18n._('Send at')} value={value} onChange={setValue} />
          {share === null ? null : (
            <p role="status">
              {i18n._('Uploading files: {percent} %', { percent: Math.floor(share * 100) })}
            </p>
          )}
          <div className={layout.footer}>
            <Button onClick={onClose}>{i18n._('Cancel')}</Button>
            <Button type="submit" variant="primary" busy={busy}>
              {i18n._('Schedule')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
