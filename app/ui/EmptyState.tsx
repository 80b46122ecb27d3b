import type { ReactNode } from 'react'
import styles from './EmptyState.module.css'

interface Props {
  title?: string
  /** Why the list is empty, or what it will contain. */
  text: ReactNode
  /** Announced when it appears. */
  role?: 'status' | 'alert'
  /** Buttons. */
  children?: ReactNode
}

/** The content of a list without entries. */
export function EmptyState({ title, text, role, children }: Props) {
  return (
    <div className={styles.empty} role={role}>
      {title ? <h2 className={styles.title}>{title}</h2> : null}
      <p>{text}</p>
      {children}
    </div>
  )
}
