import type { Socket } from 'node:net'
import type { Client } from 'pg'

/** The part of pg's connection that its types omit. */
interface CopyConnection {
  on(event: 'copyData', listener: (message: { chunk: Buffer }) => void): void
  once(event: 'replicationStart', listener: () => void): void
  sendCopyFromChunk(chunk: Buffer): void
}

const messageKinds = { data: 0x77, keepalive: 0x6b, status: 0x72 } as const
/** The first byte of the data in an XLogData: after its kind and three times eight bytes. */
const dataAt = 25
/** How often the confirmed position is sent to PostgreSQL, and after how much WAL at the latest. */
const confirm = { everyMs: 5_000, everyBytes: 4n * 1024n * 1024n }
const year2000 = Date.UTC(2000, 0, 1)

/** Handlers for a stream, called in order. */
export interface CopyReader {
  onStart(): void
  /**
   * A message of the plugin, or bytes of the log itself from the position `lsn` on. The buffer is valid until this
   * returns.
   */
  onData(data: Buffer, lsn: bigint): void
  /** PostgreSQL has processed the WAL up to this position and sent everything before it. */
  onKeepalive(lsn: bigint): void
  /** The position up to which PostgreSQL need not retain WAL for this reader. */
  confirmed(): bigint
}

/**
 * Reads a connection on which START_REPLICATION is sent, until the returned function is called. Source: "Streaming
 * Replication Protocol" in PostgreSQL's manual.
 */
export function readCopyStream(client: Client, reader: CopyReader): () => void {
  const { connection } = client as unknown as { connection: CopyConnection }
  let confirmedLsn = 0n
  const sendStatus = (): void => {
    confirmedLsn = reader.confirmed()
    connection.sendCopyFromChunk(status(confirmedLsn))
  }
  connection.once('replicationStart', () => {
    confirmedLsn = reader.confirmed()
    reader.onStart()
  })
  connection.on('copyData', ({ chunk }) => {
    if (chunk[0] === messageKinds.data) reader.onData(chunk.subarray(dataAt), chunk.readBigUInt64BE(1))
    else if (chunk[0] === messageKinds.keepalive) {
      reader.onKeepalive(chunk.readBigUInt64BE(1))
      // PostgreSQL requests an immediate reply, to detect a dead connection.
      if (chunk[17] === 1) return sendStatus()
    }
    if (reader.confirmed() - confirmedLsn >= confirm.everyBytes) sendStatus()
  })
  const timer = setInterval(sendStatus, confirm.everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Standby status update: everything up to `lsn` was received and need not be retained. */
function status(lsn: bigint): Buffer {
  const message = Buffer.alloc(34)
  message[0] = messageKinds.status
  for (const at of [1, 9, 17]) message.writeBigUInt64BE(lsn, at)
  message.writeBigInt64BE(BigInt(Date.now() - year2000) * 1000n, 25)
  return message
}

/** A walsender does not respond to a regular end of the connection while it streams. */
export function destroySocket(client: Client): void {
  socketOf(client).destroy()
}

/** The socket of a connection; pg's types lack it. */
export function socketOf(client: Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}
