import type { CacheSnapshot } from 'virtua'

/** Heights (px) of rows as they were measured, by id, and the height that is guessed for others. */
interface Sizes {
  byId: ReadonlyMap<string, number>
  guess: number
}

/** What the virtualiser hands out as its cache: measured heights in order, -1 for none, and its guess. */
type Measured = [sizes: number[], guess: number]

/** So many lists are remembered. */
const LISTS = 20
const known = new Map<string, Sizes>()

/** Notes the heights of a list that is left. `ids`: its rows in order, after `lead` other elements. */
export function keepSizes(list: string, ids: readonly string[], lead: number, cache: CacheSnapshot): void {
  const [sizes, guess] = cache as unknown as Measured
  const measured = ids.flatMap((id, index): [string, number][] => {
    const size = sizes[index + lead] ?? -1
    return size < 0 ? [] : [[id, size]]
  })
  // A list that gave way before it was drawn knows nothing.
  if (measured.length === 0) return
  known.delete(list)
  known.set(list, { byId: new Map(measured), guess })
  const oldest = known.size > LISTS ? known.keys().next().value : undefined
  if (oldest !== undefined) known.delete(oldest)
}

/**
 * What is known of the heights of these rows, for the virtualiser: coming back, the very first frame stands where the
 * list was left. Undefined where nothing is.
 */
export function keptSizes(list: string, ids: readonly string[], lead: number): CacheSnapshot | undefined {
  const sizes = known.get(list)
  if (!sizes) return undefined
  const leads = Array.from({ length: lead }, () => -1)
  const measured: Measured = [[...leads, ...ids.map((id) => sizes.byId.get(id) ?? -1)], sizes.guess]
  return measured as unknown as CacheSnapshot
}
