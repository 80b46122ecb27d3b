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
