import { isVisible, type Snapshot } from './snapshot.ts'

/**
 * Delivers the messages of one stream in their order. Each message waits until its transaction is visible to other
 * sessions.
 */
export interface CommitQueue {
  /** Adds a message of pgoutput, version 1; the buffer is valid until this returns. */
  add(data: Buffer): void
  /** The stream contains no further message up to this position. */
  advanceTo(position: bigint): void
  /** Stops delivering. */
  close(): void
}

/** The queue is full while more bytes than this wait. */
const maxWaitingBytes = 64 * 1024
/** Milliseconds between queries while the same transaction is not visible. Each delay is twice the previous one. */
const retryDelayMs = { min: 1, max: 100 }
const begin = 0x42

/**
 * PostgreSQL sends a commit to readers of the WAL before it ends the transaction for other sessions. The difference
 * is microseconds if the processor is free, and the delay of a standby with synchronous replication. A client that
 * queries the announced row in between does not find it. So a message waits for a snapshot that contains its
 * transaction. One query is sent at a time. Its snapshot counts for all messages that wait when it arrives.
 * @param o.deliver receives a message that is valid until it returns
 * @param o.onPositionReached all messages before this position were delivered
 * @param o.onFull reading should pause, or may continue
 * @param o.onFailed the query failed, and nothing more is delivered. A server that shuts down accepts no query and
 * waits for the confirmations of its readers, so the stream must end.
 */
export function createCommitQueue(o: {
  readSnapshot: () => Promise<Snapshot>
  deliver: (data: Buffer) => void
  onPositionReached: (position: bigint) => void
  onFull: (isFull: boolean) => void
  onFailed: (error: Error) => void
}): CommitQueue {
  let waiting: Buffer[] = []
  let bytes = 0
  let snapshot: Snapshot | null = null
  let isReading = false
  let isFull = false
  let isClosed = false

  const mustWait = (data: Buffer): boolean =>
    data[0] === begin && !(snapshot && isVisible(snapshot, data.readUInt32BE(17)))

  const deliverVisible = (): void => {
    const invisible = waiting.findIndex(mustWait)
    const visible = waiting.splice(0, invisible < 0 ? waiting.length : invisible)
    for (const data of visible) {
      bytes -= data.length
      o.deliver(data)
    }
    if (!isFull || bytes > maxWaitingBytes / 2) return
    isFull = false
    o.onFull(false)
  }

  const readSnapshots = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    for (let delayMs = 0; waiting.length > 0 && !isClosed;) {
      const [first] = waiting
      try {
        snapshot = await o.readSnapshot()
      } catch (error) {
        isClosed = true
        return o.onFailed(error as Error)
      }
      if (isClosed) return
      deliverVisible()
      delayMs = waiting[0] === first ? Math.min(delayMs * 2 || retryDelayMs.min, retryDelayMs.max) : 0
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    }
    isReading = false
  }

  return {
    add(data) {
      // The rows that follow the start of a transaction are visible like it.
      if (waiting.length === 0 && !mustWait(data)) return o.deliver(data)
      waiting.push(Buffer.from(data))
      bytes += data.length
      if (!isFull && bytes > maxWaitingBytes) {
        isFull = true
        o.onFull(true)
      }
      void readSnapshots()
    },
    advanceTo(position) {
      if (waiting.length === 0) o.onPositionReached(position)
    },
    close() {
      isClosed = true
      waiting = []
    },
  }
}
