import type { KeyboardEvent } from 'react'
import { isComposing } from './isComposing.ts'

/**
 * Moves the focus between the items of a list, which have `data-entry`, with the arrow keys, J and K. The arrow keys also
 * move from the search field of the list to its first item and back. From the list itself, or the heading of the page,
 * the first item is next. Inside an item that is not a row of controls, the item's own keys apply.
 */
export function moveInList(event: KeyboardEvent<HTMLElement>): void {
  if (event.metaKey || event.ctrlKey || event.altKey || isComposing(event.nativeEvent)) return
  const list = event.currentTarget
  const target = event.target as HTMLElement
  const isSearch = target.matches('[type=search]')
  if (!isSearch && target.matches('input, textarea, select')) return
  const steps = { ArrowDown: 1, ArrowUp: -1, ...(isSearch ? {} : { j: 1, k: -1 }) }
  const step = (steps as Record<string, number | undefined>)[event.key]
  const items = [...list.querySelectorAll<HTMLElement>('[data-entry]')]
  const at = items.findIndex((item) => item === target || item.closest('li')?.contains(target))
  const isOutside = isSearch || target === list || target.tagName === 'H1'
  if (!step || (at < 0 && !isOutside)) return
  const isBefore = at + step < 0
  const next = isBefore ? list.querySelector<HTMLElement>('[type=search]') : items[at + step]
  if (!next) return
  event.preventDefault()
  focusItem(next)
}

/** Focuses an item and shows it. */
export function focusItem(item: HTMLElement | undefined): void {
  item?.focus({ preventScroll: true })
  item?.scrollIntoView({ block: 'nearest' })
}
