const begin = 0x42
const commit = 0x43
/** Insert, update, delete, truncate. */
const rowKinds = new Set([0x49, 0x55, 0x44, 0x54])

/**
 * How far the WAL has been delivered: complete transactions by their end LSN, and the number of delivered rows of one
 * that was interrupted, which PostgreSQL sends again from its start after a reconnect.
 */
export interface LsnTracker {
  /** The end of the last completely delivered transaction. */
  position(): bigint
  /** Sets the position; an interrupted transaction is forgotten. */
  set(position: bigint): void
  /** A stream starts at `position()`. */
  beginStream(): void
  /** Tracks a message of pgoutput, version 1. Returns false if its row was delivered before the interruption. */
  track(data: Buffer): boolean
  /** The WAL contains no further message up to this position. */
  advanceTo(position: bigint): void
}

export function createLsnTracker(): LsnTracker {
  let position = 0n
  /** The transaction that is being delivered, by the LSN of its commit record. */
  let current: { commitAt: bigint; rows: number } | null = null
  let interrupted: { commitAt: bigint; rows: number } | null = null

  return {
    position: () => position,
    set(at) {
      position = at
      current = null
      interrupted = null
    },
    beginStream() {
      // A stream that was interrupted before it reached new rows has delivered fewer than the first one.
      if (current && !(interrupted?.commitAt === current.commitAt && interrupted.rows > current.rows))
        interrupted = current
      current = null
    },
    track(data) {
      const kind = data[0]!
      if (kind === begin) current = { commitAt: data.readBigUInt64BE(1), rows: 0 }
      else if (kind === commit) {
        position = data.readBigUInt64BE(10)
        current = null
        interrupted = null
      } else if (current && rowKinds.has(kind)) {
        current.rows += 1
        return !(interrupted?.commitAt === current.commitAt && current.rows <= interrupted.rows)
      }
      return true
    },
    advanceTo(at) {
      // Within a transaction further rows follow, whatever position was read.
      if (!current && at > position) position = at
    },
  }
}
