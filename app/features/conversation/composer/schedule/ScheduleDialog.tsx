import { i18n } from '@lingui/core'
import { useState } from 'react'
import { formFailure } from '../../../../ui/fieldFailure.ts'
import type { Outcome } from '../../../../data/failures/failures.ts'
import type { UploadWatch } from '../../../../data/messages/uploadScheduledFiles.ts'
import { FormDialog } from '../../../../ui/FormDialog.tsx'
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
  const submit = () => {
    const at = parseTimeField(value)
    if (!at) return formFailure(i18n._('Choose a day and a time first.'), 'time')
    return uploads.run((watch) => onSchedule(at, watch))
  }
  return (
    <FormDialog title={i18n._('Schedule message')} action={i18n._('Schedule')} run={submit} onClose={onClose}>
      <TimePhraseField onTime={({ at }) => setValue(formatTimeField(at))} />
      <TimeField label={i18n._('Send at')} value={value} onChange={setValue} />
      {uploads.status === null ? null : <p role="status">{uploads.status}</p>}
    </FormDialog>
  )
}
