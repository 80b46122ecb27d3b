import type { Uuid } from '../../../wire/scalars.ts'

/** An item with a manual position; null: none, sorted after those with one. */
export interface Placed {
  id: Uuid
  position: number | null
}

/** Distance of renumbered positions, so that many moves fit between two. */
const STEP = 1024

/**
 * The positions to store so that `id` is at `index` among `items` (in displayed order, with or without `id`). One, if
 * there is a number between those of the adjacent items; otherwise the items up to it are renumbered.
 */
export function planMove(
  items: readonly Placed[],
  id: Uuid,
  index: number,
): { id: Uuid; position: number }[] {
  const others = items.filter((item) => item.id !== id)
  const at = Math.max(0, Math.min(index, others.length))
  const before = at === 0 ? undefined : others[at - 1]
  const after = others[at]
  const position = between(before, after)
  if (position !== null) {
    return items.some((item) => item.id === id && item.position === position) ? [] : [{ id, position }]
  }
  return renumber(others, id, at)
}

/** A number between two adjacent items; null: there is none. */
function between(before: Placed | undefined, after: Placed | undefined): number | null {
  const low = before === undefined ? null : before.position
  const high = after === undefined ? null : after.position
  // An item above without a position would be sorted below.
  if (before !== undefined && low === null) return null
  if (low === null && high === null) return STEP
  if (low === null) return (high ?? 0) - STEP
  if (high === null) return low + STEP
  const middle = low + (high - low) / 2
  return middle > low && middle < high ? middle : null
}

/**
 * Renumbers items with a position and those above the new one, in steps from the first. Items below without a position
 * need none.
 */
function renumber(others: readonly Placed[], id: Uuid, at: number): { id: Uuid; position: number }[] {
  const order: Placed[] = [...others.slice(0, at), { id, position: null }, ...others.slice(at)]
  const lastPlaced = order.findLastIndex((item) => item.position !== null)
  const lastIndex = Math.max(at, lastPlaced)
  return order
    .slice(0, lastIndex + 1)
    .map((item, index) => ({ id: item.id, position: (index + 1) * STEP, was: item.position }))
    .filter((item) => item.was !== item.position)
    .map(({ id: one, position }) => ({ id: one, position }))
}
