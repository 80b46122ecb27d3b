import { i18n } from '@lingui/core'
import { useId, useState } from 'react'
import { changeTimeZone } from '../../data/people/profile.ts'
import { useToast } from '../../ui/toast.ts'
import styles from './SettingsPane.module.css'

/** The time zone of the user, from which others see the local time; that of this device is the first one. */
export function TimeZoneChoice({ timeZone }: { timeZone: string | null }) {
  const id = useId()
  const showToast = useToast()
  const [busy, setBusy] = useState(false)
  const { timeZone: device } = new Intl.DateTimeFormat().resolvedOptions()
  const zones = new Set([device, ...(timeZone ? [timeZone] : []), ...Intl.supportedValuesOf('timeZone')])
  const change = async (value: string) => {
    setBusy(true)
    const outcome = await changeTimeZone(value || null)
    setBusy(false)
    showToast({ text: outcome.ok ? i18n._('Saved.') : outcome.failure.message })
  }
  return (
    <div className={styles.choice}>
      <label htmlFor={id} className={styles.label}>
        {i18n._('Time zone')}
      </label>
      <select
        id={id}
        value={timeZone ?? ''}
        disabled={busy}
        aria-describedby={`${id}-hint`}
        onChange={(event) => void change(event.currentTarget.value)}
      >
        <option value="">{i18n._('Not shown')}</option>
        {[...zones].map((zone) => (
          <option key={zone} value={zone}>
            {zone.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
      <p id={`${id}-hint`} className={styles.small}>
        {i18n._('Others see your local time beside your name.')}
      </p>
    </div>
  )
}
