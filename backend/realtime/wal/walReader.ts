import type { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { readCopyStream } from './copyStream.ts'
import { runWithReconnect } from '../../runtime/runWithReconnect.ts'
import { createLsnTracker } from './lsnTracker.ts'
import {
  dropStaleSlots,
  replicationSlot,
  renderLsn,
  createSlotName,
  type ReplicationSlot,
} from './replicationSlot.ts'

export interface WalReader {
  /** Is the log being read now? */
  ready(): boolean
  /** Resolves once it is; at once when it is already. */
  whenReady(): Promise<void>
  /** All transactions that end before this position of the log have been told. */
  position(): bigint
  /** Holds the log back until `resume`: PostgreSQL waits with what it has to say. */
  pause(): void
  resume(): void
  /** Looks how far behind we are, and gives the log up beyond the cap; done every few seconds anyway. */
  check(): Promise<void>
  /**
   * `behindBytes`: of the log, when last looked; `delayMs`: from its commit to its reading, for the last
   * transaction; `gaps`: how often a part of the log was never read.
   */
  stats(): { lagBytes: number; delayMs: number; gaps: number }
  /** Leaves nothing behind in PostgreSQL. */
  close(): Promise<void>
}

export interface WalReaderOptions {
  /** Of a role that may replicate. */
  config: ClientConfig
  /** Of the same database. */
  pool: Pool
  publication: string
  /** Tells this reader's slot from another's: lower-case letters. */
  name: string
  /** How much of PostgreSQL's log may wait for us. */
  maxLagBytes: number
  /** For each stream: takes what pgoutput says, which lives until it returns. No row comes twice. */
  open: () => (data: Buffer) => void
  /**
   * A part of the log is lost to us: what was committed in it is not told. Called with `starting` when the log
   * is about to be told again, from a position before the call, and with `waiting` every now and then until
   * then, since PostgreSQL first lets all open transactions end. Called again where it rejects.
   */
  onGap: (reading: 'waiting' | 'starting') => Promise<void>
  log: Logger
}

const checkIntervalMs = 5_000
/** While a slot is being made: how often what is told meanwhile is asked for, as a multiple of what asking costs. */
const fillInterval = { minMs: 1_000, costFactor: 10 }
const dropSlotTimeoutMs = 1_000
const begin = 0x42
const year2000 = Date.UTC(2000, 0, 1)

/**
 * Reads a publication from the log of PostgreSQL, in the order of commits. A slot keeps the log for us over
 * breaks and crashes of PostgreSQL, so that each row is told once; it goes when we close, at the next start
 * after a crash of ours, or when more waits for us than the cap allows.
 */
export function createWalReader(o: WalReaderOptions): WalReader {
  const slotName = createSlotName(o.name)
  const slot = replicationSlot(slotName)
  const tracker = createLsnTracker()
  /** `none`: nothing has been read yet, so that nothing can be missed. */
  let slotState: 'none' | 'valid' | 'lost' = 'none'
  let hasGap = false
  let streaming = false
  let lagBytes = 0
  let delayMs = 0
  let gaps = 0
  let client: Client | null = null
  let readyWaiters: (() => void)[] = []
  let paused: { ended: Promise<void>; end(): void } | null = null

  // One message that nobody could be told must not end the reading of all others.
  const withErrorLog = (handle: (data: Buffer) => void) => (data: Buffer) => {
    if (data[0] === begin) delayMs = Math.max(0, Date.now() - committedAt(data))
    if (!tracker.track(data)) return
    try {
      handle(data)
    } catch (error) {
      o.log.error('realtime message not told', { log: o.name, reason: (error as Error).message })
    }
  }

  const abandonSlot = (reason: string): void => {
    slotState = 'lost'
    hasGap = true
    gaps += 1
    o.log.warn('realtime log given up, read from its tables instead', {
      log: o.name,
      reason,
      behindBytes: lagBytes,
    })
  }

  /** @param ended rejects with the connection */
  const createSlot = async (current: Client, ended: Promise<never>): Promise<void> => {
    await dropStaleSlots(current)
    await slot.drop(current)
    // Whoever holds us back would only let the next slot pile up as well.
    if (paused) await Promise.race([paused.ended, ended])
    const created = slot.create(current)
    created.catch(() => {})
    if (hasGap) await fillWhileCreating(Promise.race([created, ended]))
    tracker.set(await Promise.race([created, ended]))
    slotState = 'valid'
  }

  /** Until a slot stands, which long transactions hold up, the tables are all there is to tell from. */
  const fillWhileCreating = async (created: Promise<unknown>): Promise<void> => {
    let pauseMs = fillInterval.minMs
    while (!(await settlesWithin(created, pauseMs))) {
      const stateBefore = performance.now()
      await o.onGap('waiting')
      pauseMs = Math.max(fillInterval.minMs, (performance.now() - stateBefore) * fillInterval.costFactor)
    }
  }

  const fillGap = async (): Promise<void> => {
    const gapsBefore = gaps
    await o.onGap('starting')
    // Another gap may have come meanwhile.
    if (gaps === gapsBefore) hasGap = false
  }

  const stream = async (_: boolean, established: () => void): Promise<void> => {
    const current = new Client({ ...o.config, replication: 'database' } as ClientConfig)
    client = current
    const ended = new Promise<never>((_resolve, reject) => {
      current.on('end', () => reject(new Error('the connection has ended')))
      // A broken connection ends as well; without a listener its error would end the process.
      current.on('error', reject)
    })
    ended.catch(() => {})
    let stop = (): void => {}
    try {
      await current.connect()
      if (slotState === 'valid' && (await slot.state(current)) === 'lost')
        abandonSlot('PostgreSQL kept no more of it')
      if (slotState !== 'valid') await createSlot(current, ended)
      if (hasGap) await fillGap()
      tracker.beginStream()
      const handle = withErrorLog(o.open())
      stop = readCopyStream(current, {
        onStart() {
          streaming = true
          if (paused) socketOf(current).pause()
          established()
          for (const resolve of readyWaiters.splice(0)) resolve()
        },
        onData: handle,
        onKeepalive: tracker.advanceTo,
        confirmed: tracker.position,
      })
      const copying = current.query(
        `START_REPLICATION SLOT ${slotName} LOGICAL ${renderLsn(tracker.position())} ` +
          `(proto_version '1', publication_names '${o.publication}')`,
      )
      copying.catch(() => {})
      await Promise.race([copying, ended])
    } finally {
      stop()
      streaming = false
      destroySocket(current)
    }
  }

  const check = async (): Promise<void> => {
    const stateBefore = slotState
    const { rows } = await o.pool.query<{ at: string }>(
      `select (pg_current_wal_insert_lsn() - '0/0')::text as at`,
    )
    if (slotState !== 'valid' || stateBefore !== 'valid') return
    lagBytes = Math.max(0, Number(BigInt(rows[0]!.at) - tracker.position()))
    if (lagBytes <= o.maxLagBytes) return
    abandonSlot('too much of it waited for us')
    if (client) destroySocket(client)
  }
  // PostgreSQL that can't be asked is noticed by those who read from it.
  const timer = setInterval(() => void check().catch(() => {}), checkIntervalMs)
  timer.unref()

  const running = runWithReconnect({
    attempt: stream,
    onInterrupted: (reason) => o.log.warn('realtime log reading interrupted', { log: o.name, reason }),
  })
  return {
    ready: () => streaming,
    whenReady: () => (streaming ? Promise.resolve() : new Promise((resolve) => readyWaiters.push(resolve))),
    position: tracker.position,
    pause() {
      if (paused) return
      let end = (): void => {}
      paused = { ended: new Promise((resolve) => (end = resolve)), end }
      if (client && streaming) socketOf(client).pause()
    },
    resume() {
      paused?.end()
      paused = null
      if (client && streaming) socketOf(client).resume()
    },
    check,
    stats: () => ({ lagBytes, delayMs, gaps }),
    async close() {
      clearInterval(timer)
      paused?.end()
      const closing = running.close()
      if (client) destroySocket(client)
      await closing
      await dropSlot(o.config, slot)
    },
  }
}

/** When the transaction that begins with this message was committed, in ms since 1970. */
function committedAt(message: Buffer): number {
  return year2000 + Number(message.readBigInt64BE(9)) / 1000
}

/** The walsender answers no goodbye while it streams: end the line instead. */
function destroySocket(client: Client): void {
  socketOf(client).destroy()
}

function socketOf(client: Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

/** Has it settled within that time? Rejects where it does. */
async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)))
  try {
    return await Promise.race([promise.then(() => true), timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Tries to, for a moment: the next start drops it as well, and until then PostgreSQL caps what it keeps. */
async function dropSlot(config: ClientConfig, slot: ReplicationSlot): Promise<void> {
  const client = new Client({ ...config, replication: 'database' } as ClientConfig)
  client.on('error', () => {})
  const dropping = client.connect().then(() => slot.drop(client))
  dropping.catch(() => {})
  await settlesWithin(dropping, dropSlotTimeoutMs).catch(() => {})
  destroySocket(client)
}
