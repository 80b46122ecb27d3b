/** Where a list stands: a row, its number, and how far below the upper edge it is (px). */
export interface ScrollPosition {
  id: string
  number: number | null
  top: number
}

const positions = new Map<string, ScrollPosition>()

/** Where this list stands or was left, in this session; null: at its end. */
export function savedScrollPosition(list: string): ScrollPosition | null {
  return positions.get(list) ?? null
}

/** Notes where a list stands; null: at its end. */
export function saveScrollPosition(list: string, position: ScrollPosition | null): void {
  if (position) positions.set(list, position)
  else positions.delete(list)
}
