import type { VirtualizerHandle } from 'virtua'

/** Scroll position of the view, in pixels below the first element of the list. */
interface ListGeometry {
  top: number
  bottom: number
  /** From the view's lower edge to the end of the last row; negative where the view has passed it. */
  toEnd: number
}

/**
 * The view's position among the rows. On iPhone and iPad the virtualizer does not change `scrollTop` while the list
 * scrolls: it moves the rows instead, and corrects both once scrolling has ended. Until then `scrollTop` and
 * `scrollHeight` are off by as much as the rows were moved, and scrolling to `scrollHeight` would pass the last row.
 * The offset is read from a rendered row, because the virtualizer's own state is ahead of the page in between. Each
 * row carries its index as `data-index`.
 */
export function listGeometry(area: HTMLElement, list: VirtualizerHandle): ListGeometry {
  const first = list.getItemOffset(0)
  const item = area.lastElementChild?.firstElementChild
  const row = item?.firstElementChild
  const moved =
    item instanceof HTMLElement && row instanceof HTMLElement
      ? parseFloat(item.style.top) - (list.getItemOffset(Number(row.dataset.index)) - first)
      : first
  const top = area.scrollTop - moved
  const bottom = top + area.clientHeight
  return { top, bottom, toEnd: list.scrollSize - bottom }
}

/**
 * Ends scrolling where the view is at the top of the scroll range, but not of the rows: on iPhone and iPad the virtualizer
 * has moved them above it, where they can't be reached before it corrects the position, which it doesn't while the reader
 * swipes without a pause.
 */
export function endScrollAboveRange(area: HTMLElement, { top }: Pick<ListGeometry, 'top'>): void {
  if (area.scrollTop > 0 || top <= 1 || area.style.overflowY === 'hidden') return
  // Ends the momentum, and what a finger does is not scrolling any more.
  area.style.overflowY = 'hidden'
  // The virtualizer waits for the end of the touch.
  area.dispatchEvent(new Event('touchcancel'))
}

/** Scrolling has ended, and the position is corrected: the reader can scroll again. */
export function allowScroll(area: HTMLElement): void {
  area.style.overflowY = ''
}
