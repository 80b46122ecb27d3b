import type { Mark } from './missedMessages.ts'

/** How many ids are kept at most, while a transaction that stays open keeps all of them in question. */
const mostKept = 200_000

interface Sofar {
  told: number
  fromTable: number
}

/**
 * Which messages have been told, as far as a gap of the log could bring them up again: those of transactions
 * that were not surely over when all before them had been told.
 */
export interface ToldMessages {
  /** False: it was told from the table already. */
  addFromLog(id: string): boolean
  /** False: it was told already. */
  addFromTable(id: string): boolean
  /** What has been told so far: to be asked before a mark is read. */
  sofar(): Sofar
  /** A mark of the database that was read after that. */
  note(sofar: Sofar, mark: Mark): void
  /** The log has been told up to there. */
  reach(position: bigint): void
  /** All that was over at that mark has been told, from the table. */
  reachMark(sofar: Sofar, mark: Mark): void
  /** The number from which on there may be transactions that have not been told; null: not known yet. */
  oldestUntold(): bigint | null
}

export function createToldMessages(): ToldMessages {
  // In the order in which they were told; a Set forgets its oldest first.
  const ids = new Set<string>()
  let forgotten = 0
  const fromTable = new Set<string>()
  let oldest: bigint | null = null
  let marks: { sofar: Sofar; mark: Mark }[] = []
  /** The first `told` ids are of transactions below `next`. */
  let bounds: { told: number; next: bigint }[] = []
  let tabled = 0

  const forgetTo = (wanted: number): void => {
    for (const id of ids) {
      if (forgotten >= wanted) return
      ids.delete(id)
      forgotten++
    }
  }
  const add = (id: string): void => {
    // Said by an application, an id may come again.
    if (ids.delete(id)) forgotten++
    ids.add(id)
    if (ids.size > mostKept) forgetTo(forgotten + 1)
  }
  const settle = (reached: Mark): void => {
    oldest = reached.oldest
    const below = bounds.filter((bound) => bound.next <= reached.oldest)
    const last = below.at(-1)
    if (!last) return
    bounds = bounds.slice(below.length)
    forgetTo(last.told)
  }

  return {
    sofar: () => ({ told: forgotten + ids.size, fromTable: tabled }),
    addFromLog(id) {
      if (fromTable.delete(id)) return false
      add(id)
      return true
    },
    addFromTable(id) {
      if (ids.has(id)) return false
      add(id)
      fromTable.add(id)
      tabled++
      return true
    },
    note(sofar, mark) {
      marks.push({ sofar, mark })
      bounds.push({ told: sofar.told, next: mark.next })
    },
    reach(position) {
      while (marks[0] && marks[0].mark.position <= position) {
        const reached = marks.shift()!
        settle(reached.mark)
        // What the table told was over before this mark, so the log brings none of it any more.
        if (reached.sofar.fromTable === tabled) fromTable.clear()
      }
    },
    reachMark(sofar, mark) {
      marks = []
      bounds.push({ told: sofar.told, next: mark.next })
      settle(mark)
    },
    oldestUntold: () => oldest,
  }
}
