import type { Snapshot } from './snapshot.ts'

/** Maximum of stored IDs while a transaction that stays open prevents dropping them. */
const maxIds = 200_000

interface Counts {
  delivered: number
  fromTable: number
}

/**
 * IDs of delivered messages that filling a gap could deliver again: those of transactions that may not have ended when
 * all before them had been delivered.
 */
export interface DeliveredIds {
  /** Returns false if it was delivered from the table already. */
  addFromWal(id: string): boolean
  /** Returns false if it was delivered already. */
  addFromTable(id: string): boolean
  /** Counts of delivered messages; to be read before a snapshot is taken. */
  counts(): Counts
  /** Adds a snapshot that was taken after those counts. */
  addSnapshot(counts: Counts, snapshot: Snapshot): void
  /** The WAL has been delivered up to this position. */
  advanceTo(position: bigint): void
  /** All transactions that had ended in that snapshot have been delivered from the table. */
  advanceToSnapshot(counts: Counts, snapshot: Snapshot): void
  /** The smallest ID of transactions that may not have been delivered; null if not known yet. */
  oldestUndelivered(): bigint | null
}

export function createDeliveredIds(): DeliveredIds {
  // In the order of delivery, which a Set preserves.
  const ids = new Set<string>()
  let dropped = 0
  const fromTable = new Set<string>()
  let oldest: bigint | null = null
  let snapshots: { counts: Counts; snapshot: Snapshot }[] = []
  /** The first `delivered` IDs belong to transactions below `next`. */
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
    // IDs that applications set may be repeated.
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
        // Transactions delivered from the table ended before this snapshot, so the WAL contains none of them any more.
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
