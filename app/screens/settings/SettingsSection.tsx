import { createContext, useContext, type ReactNode } from 'react'
import styles from './SettingsPane.module.css'

interface Props {
  title: string
  hint?: string
  children: ReactNode
}

/** Whether sections are parts of a section with a heading of its own: their titles are one level lower. */
export const IsNestedContext = createContext(false)

/** A section of the settings. */
export function SettingsSection({ title, hint, children }: Props) {
  const isNested = useContext(IsNestedContext)
  return (
    <section className={styles.section} aria-label={title}>
      <div>
        {isNested ? <h3 className={styles.title}>{title}</h3> : <h2 className={styles.title}>{title}</h2>}
        {hint ? <p className={styles.small}>{hint}</p> : null}
      </div>
      {children}
    </section>
  )
}
