import { i18n } from '@lingui/core'
import { useRef, useState, type FocusEvent, type ReactNode } from 'react'
import { setBounded } from '../../../data/hooks/setBounded.ts'
import styles from './CollapsibleBody.module.css'

/** Messages that the reader has expanded: they stay so when they are scrolled out of the page and back. */
const MAX_EXPANDED = 500
const expanded = new Map<string, true>()

interface Props {
  id: string
  startsExpanded: boolean
  children: ReactNode
}

/** A long body with a button that shows all of it. */
export default function LongBody({ id, startsExpanded, children }: Props) {
  const [isExpanded, setExpanded] = useState(() => {
    // It stays so once the message is sent, and another component shows it.
    if (startsExpanded) setBounded(expanded, id, true, MAX_EXPANDED)
    return expanded.has(id)
  })
  const row = useRef<HTMLDivElement>(null)
  const change = (next: boolean) => {
    if (next) setBounded(expanded, id, true, MAX_EXPANDED)
    else expanded.delete(id)
    const top = topOf(row.current)
    setExpanded(next)
    // At its end, the list would follow the end of the expanded text.
    afterLayout(() => {
      const list = row.current?.closest('[role=log]')
      if (next) list?.scrollBy(0, topOf(row.current) - top)
      // Collapsed from below, the message would be above the view.
      else row.current?.scrollIntoView({ block: 'nearest' })
    })
  }
  // A link that is cut off and focused by keyboard would be out of view.
  const onFocus = ({ target }: FocusEvent) => {
    if (!isExpanded && target.matches(':focus-visible')) change(true)
  }
  return (
    <div ref={row} className={isExpanded ? undefined : styles.collapsed}>
      <div className={styles.text} onFocus={onFocus}>
        {children}
      </div>
      <button
        type="button"
        className={styles.more}
        aria-expanded={isExpanded}
        onClick={() => change(!isExpanded)}
      >
        {isExpanded ? i18n._('Show less') : i18n._('Show more')}
      </button>
    </div>
  )
}

function topOf(element: HTMLElement | null): number {
  return element?.getBoundingClientRect().top ?? 0
}

/** After the frame in which the list has placed its rows again. */
function afterLayout(run: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(run))
}
