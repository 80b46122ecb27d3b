const begin = 0x42
const commit = 0x43
/** Insert, update, delete, truncate: what is told of rows. */
const rowKinds = new Set([0x49, 0x55, 0x44, 0x54])

/**
 * How far a log has been told: whole transactions by the position of their end, and of one that broke off in
 * the middle how many of its rows. After a break PostgreSQL tells that one again from its beginning.
 */
export interface LsnTracker {
  /** The end of what was told whole. */
  position(): bigint
  /** Begins anew there; what broke off before is not expected any more. */
  set(position: bigint): void
  /** A stream begins at `position()`. */
  beginStream(): void
  /** Notes a message of pgoutput, version 1. False: its row was told before the break. */
  track(data: Buffer): boolean
  /** PostgreSQL's log holds nothing more for us up to there. */
  advanceTo(position: bigint): void
}

export function createLsnTracker(): LsnTracker {
  let position = 0n
  /** The transaction that is being told, by the position of its commit record. */
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
      // A stream that broke off again before it came to new rows has told less of them than the first.
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
      // In the midst of a transaction its rows are still to come, whatever was read beyond them.
      if (!current && at > position) position = at
    },
  }
}
