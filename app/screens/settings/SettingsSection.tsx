import type { ReactNode } from 'react'
import styles from './SettingsPane.module.css'

interface Props {
  title: string
  hint?: string
  children: ReactNode
}

/** A section of the settings. */
export function SettingsSection({ title, hint, children }: Props) {
  return (
    <section className={styles.section} aria-label={title}>
      <div>
        <h2 className={styles.title}>{title}</h2>
        {hint ? <p className="note">{hint}</p> : null}
      </div>
      {children}
    </section>
  )
}
