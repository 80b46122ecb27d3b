import { i18n } from '@lingui/core'
import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { Button } from './Button.tsx'
import layout from './dialogLayout.module.css'
import { useGrowth } from './useGrowth.ts'

/** Items that are rendered at first, and added by each press of the button. */
const PAGE = 50

interface Props<T> {
  label: string
  className: string | undefined
  items: readonly T[]
  /** What selected the items: with another value the list starts again with its first ones. */
  selection: string
  /** An `li` with a key; the element that opens the item has the attribute `data-entry`. */
  render: (item: T) => ReactNode
}

/**
 * A list of which 50 items are rendered, and 50 more with each press of the button below them. Items that a new
 * selection has in common with the previous one are not rendered again.
 */
export function GrowingList<T>({ label, className, items, selection, render }: Props<T>) {
  const { count, grow } = useGrowth(`${label} ${selection}`, PAGE)
  return (
    <ul className={className} aria-label={label}>
      {items.slice(0, count).map(render)}
      {items.length > count ? (
        <li key="more" className={layout.row}>
          <Button
            variant="quiet"
            data-entry
            onClick={(event) => {
              const list = event.currentTarget.closest('ul')
              flushSync(grow)
              list?.querySelectorAll<HTMLElement>('[data-entry]')[count]?.focus()
            }}
          >
            {i18n._('Show more')}
          </Button>
        </li>
      ) : null}
    </ul>
  )
}
