import type { ReactNode } from 'react'
import styles from './Checkbox.module.css'

interface Props {
  label: string
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}

/** A checkbox with a label and a hint. */
export function Checkbox({ label, hint, checked, onChange }: Props) {
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>
        {label}
        {hint ? <span className={styles.hint}>{hint}</span> : null}
      </span>
    </label>
  )
}
