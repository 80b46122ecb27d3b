import { i18n } from '@lingui/core'
import { useId, type ReactNode } from 'react'
import styles from './SettingsPane.module.css'

interface Props {
  /** Empty: none. */
  value: string
  /** The zones that are offered before all others. */
  first: readonly string[]
  /** What an empty value is called; without it a zone has to be chosen. */
  empty?: string
  hint?: ReactNode
  disabled?: boolean
  onChange: (zone: string) => void
}

/** A choice of all time zones that the browser knows. */
export function TimeZoneSelect({ value, first, empty, hint, disabled, onChange }: Props) {
  const id = useId()
  const zones = new Set([...first, ...Intl.supportedValuesOf('timeZone')])
  return (
    <div className={styles.choice}>
      <label htmlFor={id} className={styles.label}>
        {i18n._('Time zone')}
      </label>
      <select
        id={id}
        value={value}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {empty === undefined ? null : <option value="">{empty}</option>}
        {[...zones].map((zone) => (
          <option key={zone} value={zone}>
            {zone.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
      {hint ? (
        <p id={`${id}-hint`} className={styles.small}>
          {hint}
        </p>
      ) : null}
    </div>
  )
}
