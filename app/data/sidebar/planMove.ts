import type { Uuid } from '../../../wire/scalars.ts'

/** Something ordered by hand; null: not placed yet, after those that are. */
export interface Placed {
  id: Uuid
  position: number | null
}

/** Positions made anew stand so far apart, so that many moves fit between two of them. */
const STEP = 1024

/**
 * What has to be written so that `id` stands at `index` among `items` (given in the order shown, with or without
 * `id` itself). One position where there is room between the adjacent items; where they have none, or stand so
 * close that a double can't tell what is between, those up to it are numbered anew.
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

/** A number between two adjacent items; null where there is none. */
function between(before: Placed | undefined, after: Placed | undefined): number | null {
  const low = before === undefined ? null : before.position
  const high = after === undefined ? null : after.position
  // A neighbour above without a position of its own would stay below.
  if (before !== undefined && low === null) return null
  if (low === null && high === null) return STEP
  if (low === null) return (high ?? 0) - STEP
  if (high === null) return low + STEP
  const middle = low + (high - low) / 2
  return middle > low && middle < high ? middle : null
}

/**
 * All that are placed, and those above the new place, in steps from the first one's: what stays below
 * without a position needs none.
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
