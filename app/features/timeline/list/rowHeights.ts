import type { CacheSnapshot } from 'virtua'

/** Heights (px) of rows as they were measured, by id, and the height that is guessed for others. */
interface RowHeights {
  byId: ReadonlyMap<string, number>
  guess: number
}

/** What the virtualiser hands out as its cache: measured heights in order, -1 for none, and its guess. */
type Measured = [sizes: number[], guess: number]

/** So many lists are remembered. */
const MAX_LISTS = 20
const byList = new Map<string, RowHeights>()

/** Notes the heights of a list that is left. `ids`: its rows in order, after `lead` other elements. */
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
  // A list that gave way before it was drawn knows nothing.
  if (measured.length === 0) return
  byList.delete(list)
  byList.set(list, { byId: new Map(measured), guess })
  const oldest = byList.size > MAX_LISTS ? byList.keys().next().value : undefined
  if (oldest !== undefined) byList.delete(oldest)
}

/**
 * What is known of the heights of these rows, for the virtualiser: coming back, the very first frame stands where the
 * list was left. Undefined where nothing is.
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
