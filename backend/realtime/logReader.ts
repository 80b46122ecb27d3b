import type { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import type { Log } from '../log.ts'
import { keepRunning } from './keepRunning.ts'

export interface LogReader {
  /** Is the log being read now? */
  ready(): boolean
  /** Resolves once it is; at once when it is already. */
  whenReady(): Promise<void>
  /** Holds the log back until `resume`: PostgreSQL waits with what it has to say. */
  pause(): void
  resume(): void
  close(): Promise<void>
}

export interface LogReaderOptions {
  /** Of a role that may replicate. */
  config: ClientConfig
  publication: string
  /** Tells this reader's slots from another's: letters. */
  name: string
  /** For each stream: takes what pgoutput says, which lives until it returns. */
  open: () => (data: Buffer) => void
  /** Reading has begun again after a break: what was committed in between has not been told. */
  onResume: () => Promise<void>
  log: Log
}

/** How often PostgreSQL learns what it may forget, so that its log never piles up behind us. */
const confirmEveryMs = 10_000
const kindOf = { data: 0x77, keepalive: 0x6b, status: 0x72 } as const
/** The first byte of our message in an XLogData: after its kind and three times eight bytes. */
const dataAt = 25

/** The part of pg's connection that its types leave out. */
interface CopyConnection {
  on(event: 'copyData', listener: (message: { chunk: Buffer }) => void): void
  once(event: 'replicationStart', listener: () => void): void
  sendCopyFromChunk(chunk: Buffer): void
}

/**
 * Reads a publication from the log of PostgreSQL, in the order of commits, through a temporary slot that
 * goes with its connection: nothing of it is left behind when we crash. After a break it tries again until it
 * is closed. Protocol: "Streaming Replication Protocol" in PostgreSQL's manual.
 */
export function createLogReader(o: LogReaderOptions): LogReader {
  let streaming = false
  let client: Client | null = null
  const waiting: (() => void)[] = []
  let slots = 0

  // One message that nobody could be told must not end the reading of all others.
  const guarded = (tell: (data: Buffer) => void) => (data: Buffer) => {
    try {
      tell(data)
    } catch (error) {
      o.log.error('realtime message not told', { log: o.name, reason: (error as Error).message })
    }
  }

  const stream = async (again: boolean, established: () => void): Promise<void> => {
    const current = new Client({ ...o.config, replication: 'database' } as ClientConfig)
    client = current
    const ended = new Promise<void>((resolve) => {
      current.on('end', () => resolve())
      // A broken connection ends as well; without a listener its error would end the process.
      current.on('error', () => resolve())
    })
    await current.connect()
    const slot = `linnet_realtime_${o.name}_${process.pid}_${++slots}`
    await current.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`)
    // What is committed from here on is in the slot; what was before it is told first, to keep the order.
    if (again) await o.onResume()
    const stop = follow(current, guarded(o.open()), () => {
      streaming = true
      established()
      for (const resolve of waiting.splice(0)) resolve()
    })
    const copying = current.query(
      `START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names '${o.publication}')`,
    )
    try {
      await Promise.race([copying, ended])
    } finally {
      stop()
      copying.catch(() => {})
      streaming = false
      cut(current)
    }
  }

  const running = keepRunning({
    attempt: stream,
    onInterrupted: (reason) => o.log.warn('realtime log reading interrupted', { reason }),
  })
  return {
    ready: () => streaming,
    pause: () => client && lineOf(client).pause(),
    resume: () => client && lineOf(client).resume(),
    whenReady: () => (streaming ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    async close() {
      const closing = running.close()
      if (client) cut(client)
      await closing
    },
  }
}

/** The walsender answers no goodbye while it streams: end the line instead. */
function cut(client: Client): void {
  lineOf(client).destroy()
}

function lineOf(client: Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

/** Listens to the copy stream until the function that it returns is called. */
function follow(client: Client, tell: (data: Buffer) => void, onStart: () => void): () => void {
  const { connection } = client as unknown as { connection: CopyConnection }
  let position = 0n
  const confirm = (): void => connection.sendCopyFromChunk(status(position))
  connection.once('replicationStart', onStart)
  connection.on('copyData', ({ chunk }) => {
    if (chunk[0] === kindOf.data) {
      const end = chunk.readBigUInt64BE(1)
      if (end > position) position = end
      tell(chunk.subarray(dataAt))
    } else if (chunk[0] === kindOf.keepalive) {
      const end = chunk.readBigUInt64BE(1)
      if (end > position) position = end
      if (chunk[17] === 1) confirm()
    }
  })
  const timer = setInterval(confirm, confirmEveryMs)
  return () => clearInterval(timer)
}

/** Standby status update: all up to `position` was received, and need not be kept for us. */
function status(position: bigint): Buffer {
  const message = Buffer.alloc(34)
  message[0] = kindOf.status
  for (const at of [1, 9, 17]) message.writeBigUInt64BE(position, at)
  message.writeBigInt64BE(BigInt(Date.now() - Date.UTC(2000, 0, 1)) * 1000n, 25)
  return message
}
