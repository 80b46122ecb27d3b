/** How a list is made shorter. */
export interface Shrinking<T> {
  /** Whether these alone show the same. */
  shows: (items: readonly T[]) => Promise<boolean>
  /** Things of one kind are tried to be left out together. */
  kindOf: (item: T) => string
  /** A plainer thing that may do in its place; null where it is plain. */
  plainer: (item: T) => T | null
  /** `performance.now()` at which to be content with what there is. */
  until: number
}

/** Below so many, leaving out whole kinds is worth its price. */
const FEW = 400

/** Leaves out of a list what it does not need to show what it shows (delta debugging), as far as time allows. */
export async function shrink<T>(all: readonly T[], how: Shrinking<T>): Promise<readonly T[]> {
  let items = all
  const late = () => performance.now() > how.until
  const take = async (fewer: readonly T[]): Promise<boolean> => {
    if (fewer.length === items.length || late() || !(await how.shows(fewer))) return false
    items = fewer
    return true
  }
  /** Tries to do without each stretch of a size; the earliest first, for what matters is mostly near the end. */
  const sweep = async (size: number) => {
    for (let start = 0; start < items.length && !late();) {
      if (!(await take([...items.slice(0, start), ...items.slice(start + size)]))) start += size
    }
  }
  while (items.length > 1 && (await take(items.slice(Math.ceil(items.length / 2)))));
  for (let size = Math.ceil(items.length / 4); items.length > FEW && size > 16; size = size >> 1) {
    await sweep(size)
  }
  for (let before = Infinity; items.length < before && !late();) {
    before = items.length
    for (const kind of new Set(items.map(how.kindOf))) {
      await take(items.filter((one) => how.kindOf(one) !== kind))
    }
    for (let size = Math.ceil(items.length / 2); size >= 1; size = size >> 1) await sweep(size)
  }
  for (const [at, item] of items.entries()) {
    const plain = how.plainer(item)
    if (plain === null || late()) continue
    const other = items.with(at, plain)
    if (await how.shows(other)) items = other
  }
  return items
}
