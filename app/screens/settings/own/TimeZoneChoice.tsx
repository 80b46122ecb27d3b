import { i18n } from '@lingui/core'
import { useState } from 'react'
import { localTimeZone } from '../../../data/people/localTimeZone.ts'
import { changeTimeZone } from '../../../data/people/profile.ts'
import { useToast } from '../../../ui/toast.ts'
import { formatTimeIn } from '../../../ui/dates.ts'
import { useMinute } from '../../../ui/useMinute.ts'
import { TimeZoneSelect } from '../TimeZoneSelect.tsx'

/** The time zone of the user, from which others see the local time; that of this device is the first one. */
export function TimeZoneChoice({ timeZone }: { timeZone: string | null }) {
  const showToast = useToast()
  const now = useMinute()
  const time = timeZone ? formatTimeIn(timeZone, now) : null
  const [busy, setBusy] = useState(false)
  const change = async (value: string) => {
    setBusy(true)
    const outcome = await changeTimeZone(value || null)
    setBusy(false)
    showToast({ text: outcome.ok ? i18n._('Saved.') : outcome.failure.message })
  }
  return (
    <TimeZoneSelect
      value={timeZone ?? ''}
      first={[localTimeZone(), ...(timeZone ? [timeZone] : [])]}
      empty={i18n._('Not shown')}
      hint={
        time
          ? i18n._('Your profile shows your local time: {time}.', { time })
          : i18n._('Your profile shows your local time if you choose one.')
      }
      disabled={busy}
      onChange={(zone) => void change(zone)}
    />
  )
}
