import type { ReactNode } from 'react'
import styles from './Badge.module.css'
import { cx } from './cx.ts'

interface Props {
  /** Whether the count needs attention. */
  isUrgent?: boolean
  children: ReactNode
}

/** A count at the end of a row. It is always left to right: beside other scripts "@" would change sides. */
export function Badge({ isUrgent = false, children }: Props) {
  return (
    <span className={cx(styles.badge, isUrgent && styles.urgent)} dir="ltr">
      {children}
    </span>
  )
}
