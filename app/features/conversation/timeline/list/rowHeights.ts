import type { CacheSnapshot } from 'virtua'
import { setBounded } from '../../../../data/hooks/setBounded.ts'

/** Measured heights (px) of rows by id, and the height that is assumed for others. */
interface RowHeights {
  byId: ReadonlyMap<string, number>
  guess: number
}

/** The cache of the virtualizer: measured heights in order, -1 for none, and its estimate. */
type Measured = [sizes: number[], guess: number]

/** Lists that are stored at most. */
const MAX_LISTS = 20
const byList = new Map<string, RowHeights>()

/** Stores the heights of a list that is left. `ids`: its rows in order, after `leadingCount` other elements. */
export function saveRowHeights(
  list: string,
  ids: readonly string[],
  leadingCount: number,
  cache: CacheSnapshot,
): void {
  const [sizes, guess] = cache as unknown as Measured
  const measured = ids.flatMap((id, index): [string, number][] => {
    const size = sizes[index + leadingCount] ?? -1
    return size < 0 ? [] : [[id, size]]
  })
  // A list that was replaced before it was rendered has no heights.
  if (measured.length === 0) return
  setBounded(byList, list, { byId: new Map(measured), guess }, MAX_LISTS)
}

/**
 * Known heights of these rows for the virtualizer, so that the first frame has the position at which the list was
 * left. Undefined if none are known.
 */
export function savedRowHeights(
  list: string,
  ids: readonly string[],
  leadingCount: number,
): CacheSnapshot | undefined {
  const sizes = byList.get(list)
  if (!sizes) return undefined
  const leading = Array.from({ length: leadingCount }, () => -1)
  const measured: Measured = [[...leading, ...ids.map((id) => sizes.byId.get(id) ?? -1)], sizes.guess]
  return measured as unknown as CacheSnapshot
}
