import { Client, type ClientConfig } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import { connectionLost } from '../../postgres/connections/createNotificationListener.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { destroySocket, readCopyStream, socketOf } from '../../postgres/connections/copyStream.ts'
import { renderLsn } from '../../postgres/connections/lsn.ts'
import { runWithReconnect } from '../../runtime/runWithReconnect.ts'
import { createCommitQueue, type CommitQueue } from './commitQueue.ts'
import { createLsnTracker } from './lsnTracker.ts'
import { dropStaleSlots, replicationSlot, createSlotName, type ReplicationSlot } from './replicationSlot.ts'
import { readSnapshot } from './snapshot.ts'

export interface WalReader {
  /** Whether the WAL is being read. */
  ready(): boolean
  /** Resolves once it is being read. */
  whenReady(): Promise<void>
  /** All transactions that end before this position have been delivered. */
  position(): bigint
  /** Stops reading until `resume`: PostgreSQL waits. */
  pause(): void
  resume(): void
  /** Measures the lag, and abandons the slot if it exceeds the maximum; also runs every few seconds. */
  check(): Promise<void>
  /**
   * `lagBytes`: unread WAL at the last check; `delayMs`: time between commit and delivery of the last transaction; `gaps`:
   * how often a part of the WAL could not be read.
   */
  stats(): { lagBytes: number; delayMs: number; gaps: number }
  /** Drops the replication slot. */
  close(): Promise<void>
}

export interface WalReaderOptions {
  /** Of a role with REPLICATION. */
  config: ClientConfig
  /** Of the same database. */
  pool: Pool
  publication: string
  /** Distinguishes the slots of several readers: lower-case letters. */
  name: string
  /** How much unread WAL is allowed. */
  maxLagBytes: number
  /**
   * Returns a handler of pgoutput messages for each stream, which are visible to queries by then. A message is valid
   * until it returns; no row is passed twice.
   */
  open: () => (data: Buffer) => void
  /**
   * A part of the WAL is lost: changes in it are not delivered. Called with `starting` when reading is about to restart,
   * from a position before the call, and with `waiting` repeatedly until then, since PostgreSQL waits for all open
   * transactions to end before a slot exists. Called again if it rejects.
   */
  onGap: (reading: 'waiting' | 'starting') => Promise<void>
  log: Logger
}

const checkIntervalMs = 5_000
/** Interval of `onGap` while a slot is being created, as a multiple of the duration of a call. */
const fillInterval = { minMs: 1_000, costFactor: 10 }
const dropSlotTimeoutMs = 1_000
const begin = 0x42
const year2000 = Date.UTC(2000, 0, 1)

/**
 * Reads a publication from the WAL, in the order of commits. A replication slot retains WAL across reconnects and
 * crashes of PostgreSQL, so that each row is delivered once. It is dropped on close, at the next start after a crash of
 * this server, or when the lag exceeds the maximum.
 */
export function createWalReader(o: WalReaderOptions): WalReader {
  const slotName = createSlotName(o.name)
  const slot = replicationSlot(slotName)
  const tracker = createLsnTracker()
  /** `none`: nothing was read yet, so nothing can be missed. */
  let slotState: 'none' | 'valid' | 'lost' = 'none'
  let hasGap = false
  /** Where the gap begins: a new slot starts behind it. */
  let gapAt = 0n
  let streaming = false
  let lagBytes = 0
  let delayMs = 0
  let gaps = 0
  let client: Client | null = null
  let readyWaiters: (() => void)[] = []
  let paused: { ended: Promise<void>; end(): void } | null = null
  /** Pauses or resumes the stream, if there is one. */
  let updateFlow = (): void => {}

  // An error in one message must not prevent the others.
  const withErrorLog = (handle: (data: Buffer) => void) => (data: Buffer) => {
    if (data[0] === begin) delayMs = Math.max(0, Date.now() - committedAt(data))
    if (!tracker.track(data)) return
    try {
      handle(data)
    } catch (error) {
      o.log.error('realtime.delivery_failed', { log: o.name, reason: (error as Error).message })
    }
  }

  const abandonSlot = (reason: string): void => {
    slotState = 'lost'
    if (!hasGap) gapAt = tracker.position()
    hasGap = true
    gaps += 1
    o.log.warn('realtime.replication_slot_abandoned', {
      log: o.name,
      reason,
      behindBytes: lagBytes,
    })
  }

  /** @param ended rejects with the connection */
  const createSlot = async (current: Client, ended: Promise<never>): Promise<void> => {
    await dropStaleSlots(current)
    await slot.drop(current)
    // While paused, WAL would accumulate for the new slot too.
    if (paused) await Promise.race([paused.ended, ended])
    const created = slot.create(current)
    created.catch(() => {})
    if (hasGap) await fillWhileCreating(Promise.race([created, ended]))
    tracker.set(await Promise.race([created, ended]))
    slotState = 'valid'
  }

  /** Reads from the table until the slot exists, which long transactions delay. */
  const fillWhileCreating = async (created: Promise<unknown>): Promise<void> => {
    let pauseMs = fillInterval.minMs
    while (!(await settlesWithin(created, pauseMs))) {
      const startedAt = performance.now()
      await o.onGap('waiting')
      pauseMs = Math.max(fillInterval.minMs, (performance.now() - startedAt) * fillInterval.costFactor)
    }
  }

  const fillGap = async (): Promise<void> => {
    const gapsBefore = gaps
    await o.onGap('starting')
    // Another gap may have occurred meanwhile.
    if (gaps === gapsBefore) hasGap = false
  }

  const stream = async (_: boolean, established: () => void): Promise<void> => {
    const current = new Client({ ...o.config, replication: 'database' } as ClientConfig)
    client = current
    const ended = connectionLost(current)
    let stop = (): void => {}
    let queue = null as CommitQueue | null
    let fail: (error: Error) => void = () => {}
    const failed = new Promise<never>((_, reject) => (fail = reject))
    failed.catch(() => {})
    try {
      await current.connect()
      if (slotState === 'valid' && (await slot.state(current)) === 'lost')
        abandonSlot('PostgreSQL invalidated it')
      if (slotState !== 'valid') await createSlot(current, ended)
      if (hasGap) await fillGap()
      tracker.beginStream()
      let isQueueFull = false
      queue = createCommitQueue({
        readSnapshot: () => readSnapshot(o.pool),
        deliver: withErrorLog(o.open()),
        onPositionReached: tracker.advanceTo,
        onFull(isFull) {
          isQueueFull = isFull
          updateFlow()
        },
        onFailed: fail,
      })
      stop = readCopyStream(current, {
        onStart() {
          streaming = true
          updateFlow = () => {
            if (paused || isQueueFull) socketOf(current).pause()
            else socketOf(current).resume()
          }
          updateFlow()
          established()
          for (const resolve of readyWaiters.splice(0)) resolve()
        },
        onData: queue.add,
        onKeepalive: queue.advanceTo,
        confirmed: tracker.position,
      })
      const copying = current.query(
        `START_REPLICATION SLOT ${slotName} LOGICAL ${renderLsn(tracker.position())} ` +
          `(proto_version '1', publication_names '${o.publication}')`,
      )
      copying.catch(() => {})
      await Promise.race([copying, ended, failed])
    } finally {
      stop()
      queue?.close()
      streaming = false
      updateFlow = () => {}
      destroySocket(current)
    }
  }

  const check = async (): Promise<void> => {
    const startedAt = slotState
    const { rows } = await o.pool.query<{ at: string }>(
      `select (pg_current_wal_insert_lsn() - '0/0')::text as at`,
    )
    if (slotState !== 'valid' || startedAt !== 'valid') return
    lagBytes = Math.max(0, Number(BigInt(rows[0]!.at) - tracker.position()))
    if (lagBytes <= o.maxLagBytes) return
    abandonSlot('the lag exceeded the maximum')
    if (client) destroySocket(client)
  }
  // An unavailable database is detected by the stream.
  const timer = setInterval(() => void check().catch(() => {}), checkIntervalMs)
  timer.unref()

  const running = runWithReconnect({
    attempt: stream,
    maxDelayMs: 2_000,
    onInterrupted: (reason) => o.log.warn('realtime.wal_interrupted', { log: o.name, reason }),
  })
  return {
    ready: () => streaming,
    whenReady: () => (streaming ? Promise.resolve() : new Promise((resolve) => readyWaiters.push(resolve))),
    position: () => (hasGap ? gapAt : tracker.position()),
    pause() {
      if (paused) return
      let end = (): void => {}
      paused = { ended: new Promise((resolve) => (end = resolve)), end }
      updateFlow()
    },
    resume() {
      paused?.end()
      paused = null
      updateFlow()
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

/** The commit time in a begin message, in ms since 1970. */
function committedAt(message: Buffer): number {
  return year2000 + Number(message.readBigInt64BE(9)) / 1000
}

/** Whether a promise is fulfilled within `ms`. Rejects if it rejects. */
async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)))
  try {
    return await Promise.race([promise.then(() => true), timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Best effort with a timeout: the next start drops it too, and until then PostgreSQL limits the retained WAL. */
async function dropSlot(config: ClientConfig, slot: ReplicationSlot): Promise<void> {
  const client = new Client({ ...config, replication: 'database' } as ClientConfig)
  client.on('error', () => {})
  const dropping = client.connect().then(() => slot.drop(client))
  dropping.catch(() => {})
  await settlesWithin(dropping, dropSlotTimeoutMs).catch(() => {})
  destroySocket(client)
}
