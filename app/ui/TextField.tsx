import { useId, type InputHTMLAttributes, type ReactNode, type Ref } from 'react'
import { cx } from './cx.ts'
import { useFieldFailure } from './fieldFailure.ts'
import styles from './TextField.module.css'

interface Props extends InputHTMLAttributes<HTMLInputElement> {
  label: string
  /** Help shown before typing. */
  hint?: ReactNode
  /** What is wrong with the value, and how to fix it. */
  error?: string | null
  hideLabel?: boolean
  ref?: Ref<HTMLInputElement>
}

/** A text field with label, and hint or error; connected for screen readers. `name`: a failure of the form may name it. */
export function TextField({ label, hint, error: ownError, hideLabel, className, ...rest }: Props) {
  const id = useId()
  const failure = useFieldFailure(rest.name)
  const error = ownError ?? failure
  const below = error ?? hint
  return (
    <div className={cx(styles.field, className)}>
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      <input
        dir="auto"
        {...rest}
        id={id}
        className={styles.input}
        aria-invalid={error ? true : undefined}
        aria-describedby={below ? `${id}-below` : undefined}
      />
      {below ? (
        <p
          id={`${id}-below`}
          className={cx(styles.below, error && styles.error)}
          role={error ? 'alert' : undefined}
        >
          {below}
        </p>
      ) : null}
    </div>
  )
}
