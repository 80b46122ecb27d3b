import { i18n } from '@lingui/core'
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { Button } from './Button.tsx'
import layout from './dialogLayout.module.css'

/** Items that are rendered at first, and added by each press of the button. */
const PAGE = 100

interface Props<T> {
  label: string
  className: string | undefined
  items: readonly T[]
  /** An `li` with a key; the element that opens the item has the attribute `data-open`. */
  render: (item: T) => ReactNode
}

/** A list of which 100 items are rendered, and 100 more with each press of the button below them. */
export function GrowingList<T>({ label, className, items, render }: Props<T>) {
  const [count, setCount] = useState(PAGE)
  return (
    <ul className={className} aria-label={label}>
      {items.slice(0, count).map(render)}
      {items.length > count ? (
        <li key="more" className={layout.row}>
          <Button
            variant="quiet"
            data-open
            onClick={(event) => {
              const list = event.currentTarget.closest('ul')
              flushSync(() => setCount(count + PAGE))
              list?.querySelectorAll<HTMLElement>('[data-open]')[count]?.focus()
            }}
          >
            {i18n._('Show more')}
          </Button>
        </li>
      ) : null}
    </ul>
  )
}

/** Arrow keys move from the search field into a list of items with `data-open`, and between these. */
export function moveInFoundItems(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const target = event.target as Element
  if (!by || target.matches('select, [type=radio]')) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-open]')]
  const at = rows.findIndex((row) => row.closest('li')?.contains(target))
  const field = event.currentTarget.querySelector<HTMLElement>('input[type=search]')
  const next = at < 0 && by < 0 ? null : (rows[at + by] ?? (at + by < 0 ? field : null))
  if (!next) return
  event.preventDefault()
  next.focus()
}
