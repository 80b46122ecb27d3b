import type { KeyboardEvent } from 'react'

/**
 * Moves the focus between the items of a list with J, K and the arrow keys. From the list itself, or
 * the heading of the page, the first one; inside an item its own keys apply. `selector` matches the items.
 */
export function moveInFeed(event: KeyboardEvent<HTMLElement>, selector: string): void {
  if (event.metaKey || event.ctrlKey || event.altKey) return
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key]
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)]
  const at = items.indexOf(event.target as HTMLElement)
  const isOutside = event.target === event.currentTarget || (event.target as HTMLElement).tagName === 'H1'
  if (!step || (at < 0 && !isOutside)) return
  event.preventDefault()
  focusItem(items[Math.min(Math.max(at + step, 0), items.length - 1)])
}

/** Focuses an item and shows it. */
export function focusItem(item: HTMLElement | undefined): void {
  item?.focus({ preventScroll: true })
  item?.scrollIntoView({ block: 'nearest' })
}
