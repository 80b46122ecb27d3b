import { useId, type ReactNode } from 'react'
import { cx } from './cx.ts'
import styles from './TextField.module.css'

/** What a field shows beside its value. */
export interface FieldTexts {
  label: string
  /** Help shown before typing. */
  hint?: ReactNode
  hideLabel?: boolean | undefined
  className?: string | undefined
}

interface Control {
  id: string
  className: string | undefined
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

interface Props extends FieldTexts {
  /** What is wrong with the value, and how to fix it. */
  error?: string | null
  /** Renders the control with the attributes that connect it to the texts. */
  children: (control: Control) => ReactNode
}

/** The label of a control, and its hint or error; connected for screen readers. */
export function Field({ label, hint, error = null, hideLabel = false, className, children }: Props) {
  const id = useId()
  const below = error ?? hint
  return (
    <div className={cx(styles.field, className)}>
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : 'label'}>
        {label}
      </label>
      {children({
        id,
        className: styles.input,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': below ? `${id}-below` : undefined,
      })}
      {below ? (
        <p
          id={`${id}-below`}
          className={cx('note', error && styles.error)}
          role={error ? 'alert' : undefined}
        >
          {below}
        </p>
      ) : null}
    </div>
  )
}
