import type { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { followCopy } from './copyStream.ts'
import { keepRunning } from '../keepRunning.ts'
import { createLogPlace } from './logPlace.ts'
import { dropLeftSlots, logSlot, renderPosition, slotNameOf, type LogSlot } from './logSlot.ts'

export interface LogReader {
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
  stats(): { behindBytes: number; delayMs: number; gaps: number }
  /** Leaves nothing behind in PostgreSQL. */
  close(): Promise<void>
}

export interface LogReaderOptions {
  /** Of a role that may replicate. */
  config: ClientConfig
  /** Of the same database. */
  pool: Pool
  publication: string
  /** Tells this reader's slot from another's: lower-case letters. */
  name: string
  /** How much of PostgreSQL's log may wait for us. */
  mostBehindBytes: number
  /** For each stream: takes what pgoutput says, which lives until it returns. No row comes twice. */
  open: () => (data: Buffer) => void
  /**
   * A part of the log is lost to us: what was committed in it is not told. Called with `beginning` when the log
   * is about to be told again, from a position before the call, and with `waiting` every now and then until
   * then, since PostgreSQL first lets all open transactions end. Called again where it rejects.
   */
  onGap: (reading: 'waiting' | 'beginning') => Promise<void>
  log: Logger
}

const checkEveryMs = 5_000
/** While a slot is being made: how often what is told meanwhile is asked for, as a multiple of what asking costs. */
const waiting = { leastMs: 1_000, perCost: 10 }
const goodbyeMs = 1_000
const begin = 0x42
const year2000 = Date.UTC(2000, 0, 1)

/**
 * Reads a publication from the log of PostgreSQL, in the order of commits. A slot keeps the log for us over
 * breaks and crashes of PostgreSQL, so that each row is told once; it goes when we close, at the next start
 * after a crash of ours, or when more waits for us than the cap allows.
 */
export function createLogReader(o: LogReaderOptions): LogReader {
  const slotName = slotNameOf(o.name)
  const slot = logSlot(slotName)
  const place = createLogPlace()
  /** `none`: nothing has been read yet, so that nothing can be missed. */
  let held: 'none' | 'kept' | 'lost' = 'none'
  let unfilled = false
  let streaming = false
  let behindBytes = 0
  let delayMs = 0
  let gaps = 0
  let client: Client | null = null
  let readers: (() => void)[] = []
  let paused: { ended: Promise<void>; end(): void } | null = null

  // One message that nobody could be told must not end the reading of all others.
  const guarded = (tell: (data: Buffer) => void) => (data: Buffer) => {
    if (data[0] === begin) delayMs = Math.max(0, Date.now() - committedAt(data))
    if (!place.pass(data)) return
    try {
      tell(data)
    } catch (error) {
      o.log.error('realtime message not told', { log: o.name, reason: (error as Error).message })
    }
  }

  const lose = (reason: string): void => {
    held = 'lost'
    unfilled = true
    gaps += 1
    o.log.warn('realtime log given up, read from its tables instead', { log: o.name, reason, behindBytes })
  }

  /** @param ended rejects with the connection */
  const createSlot = async (current: Client, ended: Promise<never>): Promise<void> => {
    await dropLeftSlots(current)
    await slot.drop(current)
    // Whoever holds us back would only let the next slot pile up as well.
    if (paused) await Promise.race([paused.ended, ended])
    const made = slot.create(current)
    made.catch(() => {})
    if (unfilled) await tellMeanwhile(Promise.race([made, ended]))
    place.set(await Promise.race([made, ended]))
    held = 'kept'
  }

  /** Until a slot stands, which long transactions hold up, the tables are all there is to tell from. */
  const tellMeanwhile = async (made: Promise<unknown>): Promise<void> => {
    let pauseMs = waiting.leastMs
    while (!(await soon(made, pauseMs))) {
      const before = performance.now()
      await o.onGap('waiting')
      pauseMs = Math.max(waiting.leastMs, (performance.now() - before) * waiting.perCost)
    }
  }

  const fill = async (): Promise<void> => {
    const filling = gaps
    await o.onGap('beginning')
    // Another gap may have come meanwhile.
    if (gaps === filling) unfilled = false
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
      if (held === 'kept' && (await slot.state(current)) === 'lost') lose('PostgreSQL kept no more of it')
      if (held !== 'kept') await createSlot(current, ended)
      if (unfilled) await fill()
      place.beginStream()
      const tell = guarded(o.open())
      stop = followCopy(current, {
        onStart() {
          streaming = true
          if (paused) lineOf(current).pause()
          established()
          for (const resolve of readers.splice(0)) resolve()
        },
        onData: tell,
        onReadUpTo: place.reach,
        confirmed: place.position,
      })
      const copying = current.query(
        `START_REPLICATION SLOT ${slotName} LOGICAL ${renderPosition(place.position())} ` +
          `(proto_version '1', publication_names '${o.publication}')`,
      )
      copying.catch(() => {})
      await Promise.race([copying, ended])
    } finally {
      stop()
      streaming = false
      cut(current)
    }
  }

  const check = async (): Promise<void> => {
    const before = held
    const { rows } = await o.pool.query<{ at: string }>(
      `select (pg_current_wal_insert_lsn() - '0/0')::text as at`,
    )
    if (held !== 'kept' || before !== 'kept') return
    behindBytes = Math.max(0, Number(BigInt(rows[0]!.at) - place.position()))
    if (behindBytes <= o.mostBehindBytes) return
    lose('too much of it waited for us')
    if (client) cut(client)
  }
  // PostgreSQL that can't be asked is noticed by those who read from it.
  const timer = setInterval(() => void check().catch(() => {}), checkEveryMs)
  timer.unref()

  const running = keepRunning({
    attempt: stream,
    onInterrupted: (reason) => o.log.warn('realtime log reading interrupted', { log: o.name, reason }),
  })
  return {
    ready: () => streaming,
    whenReady: () => (streaming ? Promise.resolve() : new Promise((resolve) => readers.push(resolve))),
    position: place.position,
    pause() {
      if (paused) return
      let end = (): void => {}
      paused = { ended: new Promise((resolve) => (end = resolve)), end }
      if (client && streaming) lineOf(client).pause()
    },
    resume() {
      paused?.end()
      paused = null
      if (client && streaming) lineOf(client).resume()
    },
    check,
    stats: () => ({ behindBytes, delayMs, gaps }),
    async close() {
      clearInterval(timer)
      paused?.end()
      const closing = running.close()
      if (client) cut(client)
      await closing
      await dropSlot(o.config, slot)
    },
  }
}

/** When the transaction that begins with this message was committed, in ms since 1970. */
function committedAt(begins: Buffer): number {
  return year2000 + Number(begins.readBigInt64BE(9)) / 1000
}

/** The walsender answers no goodbye while it streams: end the line instead. */
function cut(client: Client): void {
  lineOf(client).destroy()
}

function lineOf(client: Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

/** Has it settled within that time? Rejects where it does. */
async function soon(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)))
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Tries to, for a moment: the next start drops it as well, and until then PostgreSQL caps what it keeps. */
async function dropSlot(config: ClientConfig, slot: LogSlot): Promise<void> {
  const client = new Client({ ...config, replication: 'database' } as ClientConfig)
  client.on('error', () => {})
  const dropping = client.connect().then(() => slot.drop(client))
  dropping.catch(() => {})
  await soon(dropping, goodbyeMs).catch(() => {})
  cut(client)
}
