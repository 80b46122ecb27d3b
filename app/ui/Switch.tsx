import type { ReactNode } from 'react'
import check from './Checkbox.module.css'
import styles from './Switch.module.css'

interface Props {
  label: string
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  /** Why the last change could not be saved. */
  failure?: string | null
}

/** A setting that is on or off and saved at once. A form has a `Checkbox` instead. */
export function Switch({ label, hint, checked, onChange, failure }: Props) {
  return (
    <div>
      <label className={check.check}>
        <input
          type="checkbox"
          // oxlint-disable-next-line jsx-a11y/role-has-required-aria-props -- a checkbox has this state
          role="switch"
          className={styles.switch}
          checked={checked}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>
          {label}
          {hint ? <span className={check.hint}>{hint}</span> : null}
        </span>
      </label>
      {failure ? <p role="alert">{failure}</p> : null}
    </div>
  )
}
