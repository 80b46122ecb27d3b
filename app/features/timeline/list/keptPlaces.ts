/** Where a list stands: a row, its number, and how far below the upper edge it is (px). */
export interface KeptPlace {
  id: string
  number: number | null
  top: number
}

const places = new Map<string, KeptPlace>()

/** Where this list stands or was left, in this session; null: at its end. */
export function keptPlace(list: string): KeptPlace | null {
  return places.get(list) ?? null
}

/** Notes where a list stands; null: at its end. */
export function noticePlace(list: string, place: KeptPlace | null): void {
  if (place) places.set(list, place)
  else places.delete(list)
}
