/** A scroll position: a row, its number, and its distance below the upper edge (px). */
export interface ScrollPosition {
  id: string
  number: number | null
  top: number
}

const positions = new Map<string, ScrollPosition>()

/** The current or last position of this list in this session; null: at its end. */
export function savedScrollPosition(list: string): ScrollPosition | null {
  return positions.get(list) ?? null
}

/** Stores the position of a list; null: at its end. */
export function saveScrollPosition(list: string, position: ScrollPosition | null): void {
  if (position) positions.set(list, position)
  else positions.delete(list)
}
