import { setBounded } from './setBounded.ts'

/** Whether two values are identical, or objects or arrays whose values are `same`; compares one level by default. */
export function isShallowEqual(
  a: unknown,
  b: unknown,
  same: (a: unknown, b: unknown) => boolean = Object.is,
): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
}

/** The earlier value if it is equal to the new one, so that nothing is rendered again. */
export function reuseIfEqual<T>(before: T | undefined, now: T): T {
  return before !== undefined && isShallowEqual(before, now) ? before : now
}

/**
 * Memoizes by key: computes again only when one of the inputs has changed by identity. Stores the last result of each
 * key, and evicts the oldest keys.
 */
export function memoizeByKey<I extends readonly unknown[], T>(
  compute: (before: T | undefined, ...inputs: I) => T,
  maxKeys = 200,
): (key: string, ...inputs: I) => T {
  const results = new Map<string, { inputs: I; value: T }>()
  return (key, ...inputs) => {
    const known = results.get(key)
    if (known && known.inputs.every((input, index) => Object.is(input, inputs[index]))) return known.value
    const value = compute(known?.value, ...inputs)
    setBounded(results, key, { inputs, value }, maxKeys)
    return value
  }
}

interface Sorting<T> {
  idOf: (item: T) => string
  /** All that the order depends on. */
  keyOf: (item: T) => string
  compare: (a: T, b: T) => number
}

/**
 * Creates a function that sorts items, and compares them again only when one was added or removed or has another key.
 * Otherwise each item takes the place of the previous one with its id.
 */
export function createSortOnce<T>({ idOf, keyOf, compare }: Sorting<T>): (items: readonly T[]) => T[] {
  let places = new Map<string, { key: string; index: number }>()
  return (items) => {
    const sorted = items.slice()
    const isSorted =
      items.length === places.size &&
      items.every((item) => {
        const place = places.get(idOf(item))
        if (place?.key !== keyOf(item)) return false
        sorted[place.index] = item
        return true
      })
    if (isSorted) return sorted
    const compared = [...items].sort(compare)
    places = new Map(compared.map((item, index) => [idOf(item), { key: keyOf(item), index }]))
    return compared
  }
}
