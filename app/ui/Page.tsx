import { useEffect, useId, useRef, type ReactNode } from 'react'
import { Logo } from './Logo.tsx'
import { FIELD } from './field.ts'
import styles from './Page.module.css'

interface Props {
  title: string
  /** The purpose of the page in a sentence. */
  lead?: ReactNode
  children?: ReactNode
}

/**
 * A page with one column: sign-in, setup, join. The focus starts in its first field, on touch devices and without
 * fields at its heading.
 */
export function Page({ title, lead, children }: Props) {
  const page = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useEffect(() => {
    document.title = `${title} · Linnet`
    // On touch devices the keyboard would cover the text, unless the page needs nothing but the field.
    const field = page.current?.querySelector<HTMLElement>(
      matchMedia('(pointer: fine)').matches ? FIELD : `:is(${FIELD}):focus`,
    )
    // With a focused field, screen readers would skip the text above it.
    const above = [`${id}-title`, `${id}-lead`, field?.getAttribute('aria-describedby')]
    field?.setAttribute('aria-describedby', above.filter(Boolean).join(' '))
    ;(field ?? heading.current)?.focus({ preventScroll: true })
  }, [title, id])
  return (
    <main ref={page} className={styles.page}>
      <div className={styles.column}>
        <p className={styles.brand}>
          <Logo size={28} />
          <span>Linnet</span>
        </p>
        <h1 ref={heading} id={`${id}-title`} tabIndex={-1} className={styles.title} dir="auto">
          {title}
        </h1>
        {lead ? (
          <p id={`${id}-lead`} className={styles.lead}>
            {lead}
          </p>
        ) : null}
        {children}
      </div>
    </main>
  )
}
