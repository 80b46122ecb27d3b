import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { cx } from './cx.ts'
import styles from './IconButton.module.css'

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label' | 'children'> {
  /** Accessible name and tooltip. */
  label: string
  /** The keyboard shortcut, shown in the tooltip. */
  keys?: string
  icon: ReactNode
  ref?: Ref<HTMLButtonElement>
}

/** A button with an icon only: 32 px for a mouse, 44 px for touch. */
export function IconButton({ label, keys, icon, className, ...rest }: Props) {
  return (
    <button
      type="button"
      data-tooltip={label}
      data-keys={keys}
      {...rest}
      aria-label={label}
      className={cx(styles.button, className)}
    >
      {icon}
    </button>
  )
}
