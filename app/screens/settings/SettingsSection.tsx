import type { ReactNode } from 'react'
import styles from './SettingsPane.module.css'

interface Props {
  title: string
  hint?: string
  /** For addresses that lead to the section. */
  id?: string
  children: ReactNode
}

/** A section of the settings. */
export function SettingsSection({ title, hint, id, children }: Props) {
  return (
    <section id={id} className={styles.section} aria-label={title}>
      <div>
        <h2 className={styles.title}>{title}</h2>
        {hint ? <p className="note">{hint}</p> : null}
      </div>
      {children}
    </section>
  )
}
