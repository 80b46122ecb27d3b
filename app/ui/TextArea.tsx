import { useId, type TextareaHTMLAttributes } from 'react'
import styles from './TextField.module.css'

interface Props extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  label: string
  hint: string
}

/** A text field of several lines, with label and hint. */
export function TextArea({ label, hint, ...rest }: Props) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <textarea
        dir="auto"
        rows={3}
        {...rest}
        id={id}
        className={styles.input}
        aria-describedby={`${id}-below`}
      />
      <p id={`${id}-below`} className={styles.below}>
        {hint}
      </p>
    </div>
  )
}
