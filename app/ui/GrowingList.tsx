import { i18n } from '@lingui/core'
import { isComposing } from './isComposing.ts'
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { Button } from './Button.tsx'
import layout from './dialogLayout.module.css'

/** Items that are rendered at first, and added by each press of the button. */
const PAGE = 50

interface Props<T> {
  label: string
  className: string | undefined
  items: readonly T[]
  /** What selected the items: with another value the list starts again with its first ones. */
  selection: string
  /** An `li` with a key; the element that opens the item has the attribute `data-open`. */
  render: (item: T) => ReactNode
}

/**
 * A list of which 50 items are rendered, and 50 more with each press of the button below them. Items that a new
 * selection has in common with the previous one are not rendered again.
 */
export function GrowingList<T>({ label, className, items, selection, render }: Props<T>) {
  const [grown, setGrown] = useState({ selection, count: PAGE })
  const count = grown.selection === selection ? grown.count : PAGE
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
              flushSync(() => setGrown({ selection, count: count + PAGE }))
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
  if (!by || isComposing(event.nativeEvent) || target.matches('select, [type=radio]')) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-open]')]
  const at = rows.findIndex((row) => row.closest('li')?.contains(target))
  const field = event.currentTarget.querySelector<HTMLElement>('input[type=search]')
  const next = at < 0 && by < 0 ? null : (rows[at + by] ?? (at + by < 0 ? field : null))
  if (!next) return
  event.preventDefault()
  next.focus()
}
