import type { ReactNode } from 'react'
import styles from './Checkbox.module.css'

interface Props {
  label: string
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  isDisabled?: boolean
}

/** A checkbox with a label and a hint. */
export function Checkbox({ label, hint, checked, onChange, isDisabled }: Props) {
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        checked={checked}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        {label}
        {hint ? <span className={styles.hint}>{hint}</span> : null}
      </span>
    </label>
  )
}
