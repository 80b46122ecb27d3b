/** A queue that serves its callers in turn, each in the order of its own entries. */
export interface FairQueue<T> {
  add(caller: string, entry: T): void
  /** The entry whose turn it is, without those of callers that are not ready; undefined where there is none. */
  next(isReady?: (caller: string) => boolean): T | undefined
  /** At most `max` entries: one of each caller, then a second one, and so on. */
  take(max: number): T[]
  /** Removes an entry that no longer waits. Returns whether it was there. */
  remove(caller: string, entry: T): boolean
  /** Removes the caller's last entry. */
  takeLast(caller: string): T | undefined
  countOf(caller: string): number
  /** The caller with the most entries; null where there is none. */
  largest(): { caller: string; count: number } | null
  size(): number
}

/** Callers without entries that are remembered until the round ends. */
const maxRemembered = 1_000

/**
 * A caller with many entries waits behind its own alone, and cannot delay the others by adding more. Rounds: each
 * caller is served once before any is served again, including those that arrive during the round.
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

  /** A caller that is never ready keeps its round from ending. */
  const forgetServed = (): void => {
    for (const [caller, entries] of served) if (entries.length === 0) served.delete(caller)
  }

  const next: FairQueue<T>['next'] = (isReady) => {
    if (size === 0) return undefined
    if (due.size === 0) startRound()
    for (const lines of [due, served]) {
      for (const [caller, entries] of lines) {
        if (entries.length === 0 || (isReady && !isReady(caller))) continue
        const entry = entries.shift()!
        size--
        lines.delete(caller)
        served.set(caller, entries)
        if (size === 0) startRound()
        else if (served.size > maxRemembered) forgetServed()
        return entry
      }
    }
    return undefined
  }

  const countOf = (caller: string): number => (due.get(caller) ?? served.get(caller))?.length ?? 0

  const remove = (caller: string, at: number): T | undefined => {
    const entries = due.get(caller) ?? served.get(caller)
    if (!entries || at < 0 || at >= entries.length) return undefined
    const [entry] = entries.splice(at, 1)
    if (entries.length === 0) due.delete(caller)
    size--
    if (size === 0) startRound()
    return entry
  }

  return {
    add(caller, entry) {
      const entries = due.get(caller) ?? served.get(caller)
      if (entries) entries.push(entry)
      else due.set(caller, [entry])
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
    remove(caller, entry) {
      const at = (due.get(caller) ?? served.get(caller))?.indexOf(entry) ?? -1
      return remove(caller, at) !== undefined
    },
    takeLast: (caller) => remove(caller, countOf(caller) - 1),
    countOf,
    largest() {
      let largest: { caller: string; count: number } | null = null
      for (const entries of [due, served]) {
        for (const [caller, { length: count }] of entries) {
          if (count > (largest?.count ?? 0)) largest = { caller, count }
        }
      }
      return largest
    },
    size: () => size,
  }
}
