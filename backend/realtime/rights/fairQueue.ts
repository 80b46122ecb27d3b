/** A queue whose takers serve its people in turn, each in the order of his own entries. */
export interface FairQueue<T> {
  add(person: string, entry: T): void
  /** At most `most` entries: one of each person, then a second one, and so on. */
  take(most: number): T[]
  countOf(person: string): number
  size(): number
}

/**
 * Whoever asks for much waits behind himself alone: nobody can hold up the others by asking more. Rounds: each
 * is served once before anybody is served again, who comes in the middle of one included.
 */
export function createFairQueue<T>(): FairQueue<T> {
  let due = new Map<string, T[]>()
  // Those who were served in this round, also where nothing of theirs is left.
  let served = new Map<string, T[]>()
  let size = 0

  const turn = (): void => {
    due = new Map([...served].filter(([, entries]) => entries.length > 0))
    served = new Map()
  }

  return {
    add(person, entry) {
      const entries = due.get(person) ?? served.get(person)
      if (entries) entries.push(entry)
      else due.set(person, [entry])
      size++
    },
    take(most) {
      const taken: T[] = []
      while (taken.length < most && size > 0) {
        if (due.size === 0) turn()
        const [person, entries] = due.entries().next().value!
        due.delete(person)
        served.set(person, entries)
        taken.push(entries.shift()!)
        size--
      }
      if (size === 0) turn()
      return taken
    },
    countOf: (person) => (due.get(person) ?? served.get(person))?.length ?? 0,
    size: () => size,
  }
}
