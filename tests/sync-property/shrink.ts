/** How to shorten a list. */
export interface Shrinking<T> {
  /** Whether these items alone fail in the same way. */
  stillFails: (items: readonly T[]) => Promise<boolean>
  /** Items of one kind are removed together. */
  kindOf: (item: T) => string
  /** A simpler item to try in its place; null where there is none. */
  simplify: (item: T) => T | null
  /** `performance.now()` at which to return the current list. */
  until: number
}

/** In shorter lists, removing whole kinds is worth its cost. */
const KIND_SWEEP_BELOW = 400

/** Fewer of a kind are removed by the ranges that contain them: a short list has nearly as many kinds as items. */
const MIN_KIND_ITEMS = 4

/** Removes from a list what it does not need to fail (delta debugging), as far as time allows. */
export async function shrink<T>(all: readonly T[], how: Shrinking<T>): Promise<readonly T[]> {
  let items = all
  const late = () => performance.now() > how.until
  const tryItems = async (fewer: readonly T[]): Promise<boolean> => {
    if (fewer.length === items.length || late() || !(await how.stillFails(fewer))) return false
    items = fewer
    return true
  }
  /** Tries to remove each range of a size; the earliest first, as the cause is mostly near the end. */
  const sweep = async (size: number) => {
    for (let start = 0; start < items.length && !late();) {
      if (!(await tryItems([...items.slice(0, start), ...items.slice(start + size)]))) start += size
    }
  }
  while (items.length > 1 && (await tryItems(items.slice(Math.ceil(items.length / 2)))));
  for (
    let size = Math.ceil(items.length / 4);
    items.length > KIND_SWEEP_BELOW && size > 16;
    size = size >> 1
  ) {
    await sweep(size)
  }
  for (let before = Infinity; items.length < before && !late();) {
    before = items.length
    for (const kind of new Set(items.map(how.kindOf))) {
      const others = items.filter((one) => how.kindOf(one) !== kind)
      if (items.length - others.length >= MIN_KIND_ITEMS) await tryItems(others)
    }
    for (let size = Math.ceil(items.length / 2); size >= 1; size = size >> 1) await sweep(size)
  }
  for (const [at, item] of items.entries()) {
    const plain = how.simplify(item)
    if (plain === null || late()) continue
    const other = items.with(at, plain)
    if (await how.stillFails(other)) items = other
  }
  return items
}
