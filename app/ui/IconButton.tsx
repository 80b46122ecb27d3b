import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { cx } from './cx.ts'
import styles from './IconButton.module.css'

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label' | 'children'> {
  /** Its name: read aloud and shown on hover. */
  label: string
  /** The key that does the same, shown beside the name on hover. */
  keys?: string
  icon: ReactNode
  ref?: Ref<HTMLButtonElement>
}

/** A control with a picture alone, 32 px by mouse and 44 px by touch. */
export function IconButton({ label, keys, icon, className, ...rest }: Props) {
  return (
    <button
      type="button"
      title={keys ? `${label} (${keys})` : label}
      {...rest}
      aria-label={label}
      className={cx(styles.button, className)}
    >
      {icon}
    </button>
  )
}
