import { i18n } from '@lingui/core'
import { useState } from 'react'
import { localTimeZone } from '../../../data/people/localTimeZone.ts'
import { TextField } from '../../../ui/TextField.tsx'
import { formatTimeField } from './localTime.ts'

interface Props {
  label: string
  /** As of the field: local time without a zone. */
  value: string
  onChange: (value: string) => void
}

/** A day and a time, to the minute, by the clock of this device. */
export function TimeField({ label, value, onChange }: Props) {
  const [earliest] = useState(() => formatTimeField(new Date()))
  return (
    <TextField
      name="time"
      type="datetime-local"
      label={label}
      hint={i18n._('Time zone: {zone}', { zone: localTimeZone() })}
      value={value}
      min={earliest}
      onChange={onChange}
    />
  )
}
