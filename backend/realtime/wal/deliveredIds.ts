import type { Snapshot } from './missedMessages.ts'

/** How many ids are kept at most, while a transaction that stays open keeps all of them in question. */
const maxIds = 200_000

interface Counts {
  delivered: number
  fromTable: number
}

/**
 * Which messages have been told, as far as a gap of the log could bring them up again: those of transactions
 * that were not surely over when all before them had been told.
 */
export interface DeliveredIds {
  /** False: it was told from the table already. */
  addFromWal(id: string): boolean
  /** False: it was told already. */
  addFromTable(id: string): boolean
  /** What has been told so far: to be asked before a mark is read. */
  counts(): Counts
  /** A mark of the database that was read after that. */
  addSnapshot(counts: Counts, snapshot: Snapshot): void
  /** The log has been told up to there. */
  advanceTo(position: bigint): void
  /** All that was over at that mark has been told, from the table. */
  advanceToSnapshot(counts: Counts, snapshot: Snapshot): void
  /** The number from which on there may be transactions that have not been told; null: not known yet. */
  oldestUndelivered(): bigint | null
}

export function createDeliveredIds(): DeliveredIds {
  // In the order in which they were told; a Set forgets its oldest first.
  const ids = new Set<string>()
  let dropped = 0
  const fromTable = new Set<string>()
  let oldest: bigint | null = null
  let snapshots: { counts: Counts; snapshot: Snapshot }[] = []
  /** The first `told` ids are of transactions below `next`. */
  let bounds: { delivered: number; next: bigint }[] = []
  let tableCount = 0

  const dropTo = (count: number): void => {
    for (const id of ids) {
      if (dropped >= count) return
      ids.delete(id)
      dropped++
    }
  }
  const add = (id: string): void => {
    // Said by an application, an id may come again.
    if (ids.delete(id)) dropped++
    ids.add(id)
    if (ids.size > maxIds) dropTo(dropped + 1)
  }
  const applySnapshot = (reached: Snapshot): void => {
    oldest = reached.oldest
    const below = bounds.filter((bound) => bound.next <= reached.oldest)
    const last = below.at(-1)
    if (!last) return
    bounds = bounds.slice(below.length)
    dropTo(last.delivered)
  }

  return {
    counts: () => ({ delivered: dropped + ids.size, fromTable: tableCount }),
    addFromWal(id) {
      if (fromTable.delete(id)) return false
      add(id)
      return true
    },
    addFromTable(id) {
      if (ids.has(id)) return false
      add(id)
      fromTable.add(id)
      tableCount++
      return true
    },
    addSnapshot(counts, snapshot) {
      snapshots.push({ counts, snapshot })
      bounds.push({ delivered: counts.delivered, next: snapshot.next })
    },
    advanceTo(position) {
      while (snapshots[0] && snapshots[0].snapshot.position <= position) {
        const reached = snapshots.shift()!
        applySnapshot(reached.snapshot)
        // What the table told was over before this mark, so the log brings none of it any more.
        if (reached.counts.fromTable === tableCount) fromTable.clear()
      }
    },
    advanceToSnapshot(counts, snapshot) {
      snapshots = []
      bounds.push({ delivered: counts.delivered, next: snapshot.next })
      applySnapshot(snapshot)
    },
    oldestUndelivered: () => oldest,
  }
}
