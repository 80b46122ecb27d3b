import type { ButtonHTMLAttributes, Ref } from 'react'
import styles from './Button.module.css'
import { cx } from './cx.ts'

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary` is ink on paper: the one next step of its place. `plain` has an edge, `quiet` words alone. */
  variant?: 'primary' | 'plain' | 'quiet'
  /** Says that the answer is awaited: the words stay, a second press does nothing. */
  busy?: boolean
  ref?: Ref<HTMLButtonElement>
}

/** A control with words. Looks the same while busy, so that nothing jumps under the pointer. */
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
