/**
 * A queue that serves the keys of its entries in turn. A key is a caller, for example. The entries of one key are
 * served in order.
 */
export interface FairQueue<T> {
  add(key: string, entry: T): void
  /**
   * Removes the next entry and returns it.
   * @param canServe whether the first entry of this key can be served now, for example within its budget; other keys
   * are skipped
   * @returns undefined if there is none
   */
  next(canServe?: (key: string, entry: T) => boolean): T | undefined
  /** Removes at most `max` entries: one entry of each key, then a second one, and so on. */
  take(max: number): T[]
  /** Removes an entry that no longer waits. Returns whether it was in the queue. */
  remove(key: string, entry: T): boolean
  /** Removes the last entry of the key. */
  takeLast(key: string): T | undefined
  countOf(key: string): number
  /** Returns the key with the most entries; null if the queue is empty. */
  largest(): { key: string; count: number } | null
  size(): number
}

/** The maximum number of keys without entries that are stored until the round ends. */
const maxRemembered = 1_000

/**
 * Creates a fair queue. Each key is served once in a round, including keys that are added during the round. So a key
 * with many entries does not delay the entries of other keys.
 */
export function createFairQueue<T>(): FairQueue<T> {
  let due = new Map<string, T[]>()
  // Those that were served in this round, including those without further entries.
  let served = new Map<string, T[]>()
  let size = 0

  const startRound = (): void => {
    due = new Map([...served].filter(([, entries]) => entries.length > 0))
    served = new Map()
  }

  /** Limits the stored keys, because a round does not end if `canServe` is never true for a key. */
  const forgetServed = (): void => {
    for (const [key, entries] of served) if (entries.length === 0) served.delete(key)
  }

  const next: FairQueue<T>['next'] = (canServe) => {
    if (size === 0) return undefined
    if (due.size === 0) startRound()
    for (const queues of [due, served]) {
      for (const [key, entries] of queues) {
        if (entries.length === 0 || (canServe && !canServe(key, entries[0]!))) continue
        const entry = entries.shift()!
        size--
        queues.delete(key)
        served.set(key, entries)
        if (size === 0) startRound()
        else if (served.size > maxRemembered) forgetServed()
        return entry
      }
    }
    return undefined
  }

  const countOf = (key: string): number => (due.get(key) ?? served.get(key))?.length ?? 0

  const remove = (key: string, at: number): T | undefined => {
    const entries = due.get(key) ?? served.get(key)
    if (!entries || at < 0 || at >= entries.length) return undefined
    const [entry] = entries.splice(at, 1)
    if (entries.length === 0) due.delete(key)
    size--
    if (size === 0) startRound()
    return entry
  }

  return {
    add(key, entry) {
      const entries = due.get(key) ?? served.get(key)
      if (entries) entries.push(entry)
      else due.set(key, [entry])
      size++
    },
    next,
    take(max) {
      const taken: T[] = []
      while (taken.length < max) {
        const entry = next()
        if (entry === undefined) break
        taken.push(entry)
      }
      return taken
    },
    remove(key, entry) {
      const at = (due.get(key) ?? served.get(key))?.indexOf(entry) ?? -1
      return remove(key, at) !== undefined
    },
    takeLast: (key) => remove(key, countOf(key) - 1),
    countOf,
    largest() {
      let largest: { key: string; count: number } | null = null
      for (const entries of [due, served]) {
        for (const [key, { length: count }] of entries) {
          if (count > (largest?.count ?? 0)) largest = { key, count }
        }
      }
      return largest
    },
    size: () => size,
  }
}
