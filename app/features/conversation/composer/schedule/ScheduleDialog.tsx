import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Outcome } from '../../../../data/failures/failures.ts'
import type { UploadWatch } from '../../../../data/messages/uploadScheduledFiles.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Dialog } from '../../../../ui/Dialog.tsx'
import layout from '../../../../ui/dialogLayout.module.css'
import { Form } from '../../../../ui/Form.tsx'
import { atHour, formatTimeField, parseTimeField } from '../../../parts/times/localTime.ts'
import { TimeField } from '../../../parts/times/TimeField.tsx'
import { TimePhraseField } from '../../../parts/times/TimePhraseField.tsx'
import { useUploads } from './useUploads.ts'

interface Props {
  /** The time that is offered first. */
  first?: Date
  onSchedule: (at: Date, watch: UploadWatch) => Promise<Outcome>
  onClose: () => void
}

/** Chooses any minute at which a message is sent. Uploads its files first; closing the dialog ends that. */
export default function ScheduleDialog({ first, onSchedule, onClose }: Props) {
  const [value, setValue] = useState(() => formatTimeField(first ?? atHour(1)))
  const uploads = useUploads()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const submit = async () => {
    const at = parseTimeField(value)
    if (!at) return setFailure(i18n._('Choose a day and a time first.'))
    setBusy(true)
    setFailure(null)
    const outcome = await uploads.run((watch) => onSchedule(at, watch))
    if (!outcome) return
    setBusy(false)
    if (outcome.ok) onClose()
    else setFailure(outcome.failure.message)
  }
  return (
    <Dialog title={i18n._('Schedule message')} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void submit()} failure={failure}>
          <TimePhraseField onTime={({ at }) => setValue(formatTimeField(at))} />
          <TimeField label={i18n._('Send at')} value={value} onChange={setValue} />
          {uploads.status === null ? null : <p role="status">{uploads.status}</p>}
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
