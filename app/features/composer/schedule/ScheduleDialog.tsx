import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Outcome } from '../../../data/failures/failures.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { Form } from '../../../ui/Form.tsx'
import { atHour, formatTimeField, parseTimeField } from '../../schedule/localTime.ts'
import { TimeField } from '../../schedule/TimeField.tsx'

interface Props {
  onSchedule: (at: Date) => Promise<Outcome>
  onClose: () => void
}

/** Chooses any minute at which a message is sent. */
export default function ScheduleDialog({ onSchedule, onClose }: Props) {
  const [value, setValue] = useState(() => formatTimeField(atHour(1)))
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const submit = async () => {
    const at = parseTimeField(value)
    if (!at) return setFailure(i18n._('Choose a day and a time first.'))
    setBusy(true)
    const outcome = await onSchedule(at)
    setBusy(false)
    if (outcome.ok) onClose()
    else setFailure(outcome.failure.message)
  }
  return (
    <Dialog title={i18n._('Schedule message')} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void submit()} failure={failure}>
          <TimeField label={i18n._('Send at')} value={value} onChange={setValue} />
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
