import type pg from 'pg'
import { wsFrame } from '../sockets/wsFrame.ts'
import type { Logger } from '../../logging/logger.ts'
import {
  PoolExhausted,
  PoolTimeout,
  PostgresUnavailable,
  type Pool,
} from '../../postgres/connections/pool.ts'
import type { Channel } from '../sockets/channel.ts'
import type { Sink } from '../hub.ts'
import type { RateCounter } from '../rateCounter.ts'
import { wireTopic } from '../sockets/subTopic.ts'
import { BadChangeRequest, parseChangeRequest, type ChangeRequest } from './changeRequest.ts'
import { ChangeQueue } from './ChangeQueue.ts'
import { ChangeRequestRefused } from './checkRequest.ts'
import { createChangeReader, type ChangeReader } from './createChangeReader.ts'
import { createRequestChecker } from './createRequestChecker.ts'
import { evaluateChanges, type Evaluation, type NumberedChange, type Told } from './evaluateChanges.ts'
import { renderChangeFrame } from './renderChange.ts'
import { Subscriptions } from './Subscriptions.ts'
import { ValueTypes } from './ValueTypes.ts'

/** `superseded`: its topic has ended, or asked anew. */
export type Subscribed = { ok: true } | { ok: false; message: string } | 'superseded'

export interface Changes {
  /**
   * Has a topic told of the changes that entries of `config.postgres_changes` ask for; ids count from 1.
   * Resolves once it is certain to miss none from there on, and tries for as long as the database is away.
   */
  subscribe(channel: Channel, entries: Record<string, unknown>[]): Promise<Subscribed>
  /** Checks again what a topic asked for, after its caller has changed, and says so as `subscribe` does. */
  renew(channel: Channel): void
  unsubscribe(channel: Channel): void
  /** `waiting`: changes read and not told yet; `log`: null while nobody asks for changes. */
  stats(): {
    subscriptions: number
    waiting: number
    deliveries: number
    log: ReturnType<ChangeReader['stats']>
  }
  close(): Promise<void>
}

const publication = 'supabase_realtime'
const confirmation = 'Subscribed to PostgreSQL'
/** Of one topic: each is looked at with each change. */
const mostEntries = 100
const retryMs = 250
const mostPauseMs = 4_000
/** How often a batch is tried while the database is away: longer than its restart takes. */
const mostTries = 120

/** Postgres changes: who asks for what, and what each is told. Reads the log only while somebody asks. */
export function createChanges(o: {
  /** Of supabase_realtime_admin. */
  pool: Pool
  /** Of a role that may replicate. */
  replication: pg.ClientConfig
  /** How much of PostgreSQL's log may wait for us, in bytes. */
  mostBehindBytes: number
  /** Counts deliveries; over its limit changes are dropped. */
  events: RateCounter
  log: Logger
}): Changes {
  const { pool, log } = o
  const subscriptions = new Subscriptions()
  const types = new ValueTypes()
  const checker = createRequestChecker(pool, types, publication)
  const wanted = new Map<Channel, { requests: ChangeRequest[] }>()
  const state = { closed: false, deliveries: 0 }
  /** While tables that appeared are being checked, for those who filter, nothing is evaluated. */
  let checking: Promise<void> | null = null

  const queue = new ChangeQueue({
    work: (batch) => tellBatch(batch),
    hold: () => reader.pause(),
    release: () => reader.resume(),
  })
  const reader = createChangeReader({
    config: o.replication,
    pool,
    mostBehindBytes: o.mostBehindBytes,
    publication,
    isNeeded: () => wanted.size > 0,
    concerns: (relationId) => checking !== null || subscriptions.concerns(relationId),
    onTable(relation) {
      const unchecked = subscriptions.announce(relation)
      if (unchecked.size === 0) return
      const checks = Promise.all([checking, ...[...unchecked].map((channel) => checkAgain(channel))])
      const current = checks.then(() => {
        if (checking === current) checking = null
      })
      checking = current
    },
    onChange: (change) => queue.push(change),
    onGap() {
      // What was committed in between has not been told: the message is how a client learns it.
      for (const channel of subscriptions.channels()) confirm(channel)
    },
    log,
  })

  const confirm = (channel: Channel): void => {
    if (channel.joined && !channel.closed) channel.pushSystem('ok', confirmation, 'postgres_changes')
  }

  const refuse = (channel: Channel, message: string): void => {
    forget(channel)
    if (!channel.closed) channel.pushSystem('error', message, 'postgres_changes')
  }

  const forget = (channel: Channel): void => {
    subscriptions.remove(channel)
    wanted.delete(channel)
    reader.review()
  }

  /** Checks what is wanted and takes it in; tries on while the database is away. */
  const check = async (
    channel: Channel,
    want: { requests: ChangeRequest[] },
    from: number,
  ): Promise<Subscribed> => {
    for (let pauseMs = retryMs; ; pauseMs = Math.min(pauseMs * 2, mostPauseMs)) {
      const { caller } = channel
      try {
        const checked = await checker.check(caller.role, want.requests)
        if (wanted.get(channel) !== want || channel.closed) return 'superseded'
        if (channel.caller.role !== caller.role) continue
        subscriptions.put(channel, checked, from)
        return { ok: true }
      } catch (error) {
        if (wanted.get(channel) !== want || channel.closed) return 'superseded'
        if (error instanceof ChangeRequestRefused) {
          forget(channel)
          return { ok: false, message: error.message }
        }
        log.warn('realtime changes not subscribed', { reason: (error as Error).message })
        await pause(pauseMs)
        if (state.closed || wanted.get(channel) !== want) return 'superseded'
      }
    }
  }

  /** @param from the number of the first change that is asked for */
  const begin = async (channel: Channel, requests: ChangeRequest[], from: number): Promise<Subscribed> => {
    const want = { requests }
    wanted.set(channel, want)
    reader.review()
    const checked = await check(channel, want, from)
    if (checked === 'superseded' || !checked.ok) return checked
    await reader.whenReady()
    return wanted.get(channel) === want && !channel.closed ? checked : 'superseded'
  }

  const checkAgain = async (channel: Channel): Promise<void> => {
    const want = wanted.get(channel)
    const outcome = want ? await check(channel, want, 0) : 'superseded'
    if (outcome !== 'superseded' && !outcome.ok) refuse(channel, outcome.message)
  }

  const tellBatch = async (batch: NumberedChange[]): Promise<void> => {
    for (let tries = 1; !state.closed; tries++) {
      try {
        if (checking) await checking
        return tell(await evaluateChanges({ pool, types, subscriptions, log }, batch))
      } catch (error) {
        const isAway =
          error instanceof PostgresUnavailable ||
          error instanceof PoolTimeout ||
          error instanceof PoolExhausted
        if (!isAway || tries === mostTries) {
          log.error('realtime changes not told', { changes: batch.length, reason: (error as Error).message })
          return
        }
        await pause(retryMs)
      }
    }
  }

  const tell = ({ told, failed }: Evaluation): void => {
    if (!o.events.exceeded()) {
      const deliveries = writeAll(told)
      state.deliveries += deliveries
      o.events.add(deliveries)
    }
    for (const [channel, error] of failed) refuse(channel, `A filter could not be applied: ${error.message}`)
  }

  return {
    async subscribe(channel, entries) {
      try {
        if (entries.length > mostEntries)
          throw new BadChangeRequest(`More than ${mostEntries} postgres_changes`)
        return await begin(channel, entries.map(parseChangeRequest), queue.next)
      } catch (error) {
        if (!(error instanceof BadChangeRequest)) throw error
        return { ok: false, message: error.message }
      }
    },
    renew(channel) {
      const want = wanted.get(channel)
      if (!want) return
      void begin(channel, want.requests, 0).then((outcome) => {
        if (outcome === 'superseded') return
        if (outcome.ok) confirm(channel)
        else refuse(channel, outcome.message)
      })
    },
    unsubscribe(channel) {
      if (wanted.has(channel)) forget(channel)
    },
    stats: () => ({
      subscriptions: subscriptions.count,
      waiting: queue.length,
      deliveries: state.deliveries,
      log: reader.stats(),
    }),
    async close() {
      state.closed = true
      wanted.clear()
      queue.clear()
      await reader.close()
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

/** Writes to each socket once, its frames in order; a frame that several are told is made once. */
function writeAll(told: Told[]): number {
  const frames = new Map<Sink, Buffer[]>()
  let deliveries = 0
  for (const { data, to } of told) {
    const made = new Map<string, Buffer>()
    for (const [channel, ids] of to) {
      if (channel.closed) continue
      const { version } = channel.sink
      ids.sort((one, other) => one - other)
      const key = `${version} ${ids.join()} ${channel.name}`
      const frame = made.get(key) ?? wsFrame(renderChangeFrame(version, wireTopic(channel.name), ids, data))
      made.set(key, frame)
      const waiting = frames.get(channel.sink)
      if (waiting) waiting.push(frame)
      else frames.set(channel.sink, [frame])
      deliveries++
    }
  }
  for (const [sink, waiting] of frames)
    sink.write(waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting))
  return deliveries
}
