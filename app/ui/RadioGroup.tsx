import { useId } from 'react'
import styles from './RadioGroup.module.css'

interface Props<V extends string> {
  label: string
  value: V
  options: { value: V; label: string }[]
  hideLabel?: boolean
  onChange: (value: V) => void
}

/** Radio buttons, side by side. */
export function RadioGroup<V extends string>({ label, value, options, hideLabel, onChange }: Props<V>) {
  const name = useId()
  return (
    <fieldset>
      <legend className={hideLabel ? 'visually-hidden' : styles.label}>{label}</legend>
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
    </fieldset>
  )
}
