import { useEffect, useRef, type ReactNode } from 'react'
import { Bird } from './Bird.tsx'
import styles from './Page.module.css'

interface Props {
  title: string
  /** What this page is for, in a sentence. */
  lead?: ReactNode
  children?: ReactNode
}

/** A quiet page of one column: signing in, setting up, joining. Focus starts at its heading. */
export function Page({ title, lead, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Linnet`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <main className={styles.page}>
      <div className={styles.column}>
        <p className={styles.brand}>
          <Bird size={28} />
          <span>Linnet</span>
        </p>
        <h1 ref={heading} tabIndex={-1} className={styles.title} dir="auto">
          {title}
        </h1>
        {lead ? <p className={styles.lead}>{lead}</p> : null}
        {children}
      </div>
    </main>
  )
}
