import { useId } from 'react'
import { cx } from './cx.ts'
import styles from './RadioGroup.module.css'

interface Props<V extends string> {
  label: string
  value: V
  options: { value: V; label: string }[]
  hideLabel?: boolean
  /** What the options mean, or the chosen one. A change is announced. */
  hint?: string | undefined
  onChange: (value: V) => void
}

/** Radio buttons, side by side. */
export function RadioGroup<V extends string>({ label, value, options, hideLabel, hint, onChange }: Props<V>) {
  const name = useId()
  return (
    <fieldset className={styles.group}>
      <legend className={hideLabel ? 'visually-hidden' : cx('label', styles.label)}>{label}</legend>
      <div className={styles.options}>
        {options.map((option) => (
          <label key={option.value} className={styles.option}>
            <input
              type="radio"
              name={name}
              className="visually-hidden"
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
      {hint === undefined ? null : (
        <p className="note" role="status">
          {hint}
        </p>
      )}
    </fieldset>
  )
}
