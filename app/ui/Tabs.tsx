import { useId, useRef, type ReactNode } from 'react'
import styles from './Tabs.module.css'

interface Props<V extends string> {
  /** Accessible name of the tab list. */
  label: string
  value: V
  tabs: { value: V; label: string }[]
  onChange: (value: V) => void
  /** The selected panel. */
  children: ReactNode
}

/** Tabs with one visible panel; arrow keys move between tabs. */
export function Tabs<V extends string>({ label, value, tabs, onChange, children }: Props<V>) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const at = tabs.findIndex((tab) => tab.value === value)
  const go = (index: number) => {
    const tab = tabs[(index + tabs.length) % tabs.length]
    if (!tab) return
    onChange(tab.value)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[(index + tabs.length) % tabs.length]?.focus()
  }
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- one of its tabs has the focus */}
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className={styles.tabs}
        onKeyDown={(event) => {
          const toward = getComputedStyle(event.currentTarget).direction === 'rtl' ? -1 : 1
          const steps: Record<string, number> = {
            ArrowRight: at + toward,
            ArrowLeft: at - toward,
            Home: 0,
            End: -1,
          }
          const to = steps[event.key]
          if (to === undefined) return
          event.preventDefault()
          go(to)
        }}
      >
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-${tab.value}`}
            aria-selected={tab.value === value}
            aria-controls={`${id}-part`}
            tabIndex={tab.value === value ? 0 : -1}
            className={styles.tab}
            onClick={() => onChange(tab.value)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id={`${id}-part`} role="tabpanel" aria-labelledby={`${id}-${value}`} className={styles.panel}>
        {children}
      </div>
    </>
  )
}
