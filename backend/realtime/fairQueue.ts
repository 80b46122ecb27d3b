/** A queue whose takers serve its people in turn, each in the order of his own entries. */
export interface FairQueue<T> {
  add(person: string, entry: T): void
  /** At most `most` entries: one of each person, then a second one, and so on. */
  take(most: number): T[]
  countOf(person: string): number
  size(): number
}

/** Whoever asks for much waits behind himself alone: nobody can hold up the others by asking more. */
export function createFairQueue<T>(): FairQueue<T> {
  // In the order in which they are served next.
  const byPerson = new Map<string, T[]>()
  let size = 0

  return {
    add(person, entry) {
      const entries = byPerson.get(person)
      if (entries) entries.push(entry)
      else byPerson.set(person, [entry])
      size++
    },
    take(most) {
      const taken: T[] = []
      while (taken.length < most && size > 0) {
        const [person, entries] = byPerson.entries().next().value!
        byPerson.delete(person)
        taken.push(entries.shift()!)
        size--
        if (entries.length > 0) byPerson.set(person, entries)
      }
      return taken
    },
    countOf: (person) => byPerson.get(person)?.length ?? 0,
    size: () => size,
  }
}
