import type { ButtonHTMLAttributes, Ref } from 'react'
import styles from './Button.module.css'
import { cx } from './cx.ts'

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary`: the main action. `danger`: the main action, which destroys something. `plain`: with a border. `quiet`: text only. */
  variant?: 'primary' | 'danger' | 'plain' | 'quiet'
  /** Whether an action is running. The label stays, and further clicks are ignored. */
  busy?: boolean
  ref?: Ref<HTMLButtonElement>
}

/** A button with a label. It keeps its size while busy. */
export function Button({ variant = 'plain', busy = false, className, onClick, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      className={cx(styles.button, styles[variant], className)}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
    />
  )
}
