import { i18n } from '@lingui/core'
import { useEffect, useEffectEvent, useState } from 'react'
import type { NotificationPreferences } from '../../../../../wire/notifications.ts'
import { localTimeZone } from '../../../../data/people/localTimeZone.ts'
import { Checkbox } from '../../../../ui/Checkbox.tsx'
import { TimeZoneSelect } from '../../TimeZoneSelect.tsx'
import styles from './notifications.module.css'
import type { SavePreferences } from './useSavePreferences.ts'
import { TextField } from '../../../../ui/TextField.tsx'

interface Props {
  preferences: NotificationPreferences
  save: SavePreferences
}

/** Days, times and time zone of the quiet period that repeats every week. */
export function QuietHours({ preferences, save }: Props) {
  const { quiet_days: days, quiet_from: from, quiet_to: to, time_zone: zone } = preferences
  const toggle = (day: number, isQuiet: boolean) => {
    const next = isQuiet ? [...days, day].sort((a, b) => a - b) : days.filter((one) => one !== day)
    // The first quiet hours of a person are those of their device.
    void save({
      quiet_days: next,
      ...(days.length === 0 && zone === 'UTC' ? { time_zone: localTimeZone() } : {}),
    })
  }
  return (
    <>
      <fieldset className={styles.days}>
        <legend className="label">{i18n._('Starts on')}</legend>
        <div className={styles.dayList}>
          {[1, 2, 3, 4, 5, 6, 7].map((day) => (
            <Checkbox
              key={day}
              label={dayName(day)}
              checked={days.includes(day)}
              onChange={(isQuiet) => toggle(day, isQuiet)}
            />
          ))}
        </div>
      </fieldset>
      {days.length > 0 ? (
        <>
          <div className={styles.times}>
            <TimeField label={i18n._('From')} time={from} onChange={(quiet_from) => save({ quiet_from })} />
            <TimeField
              label={i18n._({ id: 'To (time)', message: 'To', context: 'the end of a period' })}
              time={to}
              onChange={(quiet_to) => save({ quiet_to })}
            />
          </div>
          <p className="note">{periodSentence(from, to)}</p>
          <TimeZoneSelect
            value={zone}
            first={[localTimeZone(), zone, 'UTC']}
            onChange={(time_zone) => void save({ time_zone })}
          />
        </>
      ) : null}
    </>
  )
}

/** 1: Monday. */
function dayName(day: number): string {
  // 2024-01-01 was a Monday.
  const date = new Date(Date.UTC(2024, 0, day))
  return new Intl.DateTimeFormat(i18n.locale, { weekday: 'long', timeZone: 'UTC' }).format(date)
}

function periodSentence(from: string, to: string): string {
  if (from === to) return i18n._('24 hours, until the same time the next day.')
  return from < to ? i18n._('Ends the same day.') : i18n._('Ends the next day.')
}

interface TimeFieldProps {
  label: string
  time: string
  onChange: (time: string) => void
}

/** Milliseconds without a key stroke after which a time is saved. */
const SAVE_DELAY_MS = 1_000

/** A time of day, saved after a pause and when the field is left: a browser reports each digit. */
function TimeField({ label, time, onChange }: TimeFieldProps) {
  const saved = time.slice(0, 5)
  const [value, setValue] = useState(saved)
  const save = useEffectEvent(() => {
    if (value && value !== saved) onChange(value)
  })
  useEffect(() => {
    if (value === saved) return
    const timer = setTimeout(save, SAVE_DELAY_MS)
    return () => clearTimeout(timer)
  }, [value, saved])
  return (
    <TextField
      label={label}
      type="time"
      required
      value={value}
      onChange={setValue}
      onBlur={() => {
        if (value) save()
        else setValue(saved)
      }}
    />
  )
}
