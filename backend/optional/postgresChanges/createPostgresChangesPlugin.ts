import { PoolExhausted, PoolTimeout, PostgresUnavailable } from '../../postgres/connections/pool.ts'
import type { RealtimeContext } from '../../realtime/context.ts'
import type { Channel } from '../../realtime/sockets/channel.ts'
import type { Sink } from '../../realtime/hub.ts'
import type { RealtimePlugin } from '../../realtime/RealtimePlugin.ts'
import { JoinRefused } from '../../realtime/sockets/joinChannel.ts'
import { toBoolean, toRecord } from '../../realtime/sockets/joinRequest.ts'
import { wireTopic } from '../../realtime/sockets/subTopic.ts'
import { wsFrame } from '../../realtime/sockets/wsFrame.ts'
import { BadChangeRequest, parseChangeRequest, type ChangeRequest } from './changeRequest.ts'
import { ChangeQueue } from './ChangeQueue.ts'
import { ChangeRequestRefused } from './checkRequest.ts'
import { createChangeReader } from './createChangeReader.ts'
import { createRequestChecker } from './createRequestChecker.ts'
import { evaluateChanges, type Evaluation, type NumberedChange, type Delivery } from './evaluateChanges.ts'
import { renderChangeFrame } from './renderChange.ts'
import { Subscriptions } from './Subscriptions.ts'
import { ValueTypes } from './ValueTypes.ts'

/** `superseded`: the topic was closed, or has subscribed again. */
type SubscribeResult = { ok: true } | { ok: false; message: string } | 'superseded'

const publication = 'supabase_realtime'
const confirmation = 'Subscribed to PostgreSQL'
/** The maximum number of subscriptions of one topic. Each is evaluated with each change. */
const maxEntries = 100
/** The maximum and default time (ms) during which the reply waits for the subscription, as in realtime-js. */
const joinWait = { maxMs: 20_000, defaultMs: 15_000 }
const minRetryDelayMs = 250
const maxRetryDelayMs = 4_000
/** The number of attempts for a batch while the database is unavailable. They take longer than its restart. */
const maxAttempts = 120

/** Sends changed rows to callers who may select them. It reads the WAL only while there are subscriptions. */
export function createPostgresChangesPlugin(context: RealtimeContext): RealtimePlugin {
  const { pool, takeDatabaseEvents, log } = context
  const subscriptions = new Subscriptions()
  const types = new ValueTypes()
  const checker = createRequestChecker(pool, types, publication)
  const requested = new Map<Channel, { requests: ChangeRequest[] }>()
  const state = { closed: false, deliveries: 0 }
  /** Nothing is evaluated while filters are being checked against new tables. */
  let checking: Promise<void> | null = null

  const queue = new ChangeQueue({
    work: (batch) => sendBatch(batch),
    pause: () => reader.pause(),
    resume: () => reader.resume(),
  })
  const reader = createChangeReader({
    config: context.replication,
    pool,
    maxLagBytes: context.settings.maxWalLagBytes,
    publication,
    isNeeded: () => requested.size > 0,
    hasTable: (relationId) => checking !== null || subscriptions.hasTable(relationId),
    onTable(relation) {
      const unchecked = subscriptions.updateTable(relation)
      if (unchecked.size === 0) return
      const checks = Promise.all([checking, ...[...unchecked].map((channel) => recheck(channel))])
      const current = checks.then(() => {
        if (checking === current) checking = null
      })
      checking = current
    },
    onChange: (change) => queue.push(change),
    onGap() {
      // Changes in between were not delivered: this message informs clients.
      for (const channel of subscriptions.channels()) confirm(channel)
    },
    log,
  })

  const confirm = (channel: Channel): void => {
    if (channel.joined && !channel.closed) channel.pushSystem('ok', confirmation, 'postgres_changes')
  }

  const refuse = (channel: Channel, message: string): void => {
    removeChannel(channel)
    if (!channel.closed) channel.pushSystem('error', message, 'postgres_changes')
  }

  const removeChannel = (channel: Channel): void => {
    subscriptions.remove(channel)
    requested.delete(channel)
    reader.update()
  }

  /** Checks the request of a channel and stores its subscriptions; retries while the database is unavailable. */
  const check = async (
    channel: Channel,
    request: { requests: ChangeRequest[] },
    from: number,
  ): Promise<SubscribeResult> => {
    for (let delayMs = minRetryDelayMs; ; delayMs = Math.min(delayMs * 2, maxRetryDelayMs)) {
      const { caller } = channel
      try {
        const checked = await checker.check(caller.role, request.requests)
        if (requested.get(channel) !== request || channel.closed) return 'superseded'
        if (channel.caller.role !== caller.role) continue
        subscriptions.set(channel, checked, from)
        return { ok: true }
      } catch (error) {
        if (requested.get(channel) !== request || channel.closed) return 'superseded'
        if (error instanceof ChangeRequestRefused) {
          removeChannel(channel)
          return { ok: false, message: error.message }
        }
        log.warn('realtime.changes_subscribe_failed', { reason: (error as Error).message })
        await sleep(delayMs)
        if (state.closed || requested.get(channel) !== request) return 'superseded'
      }
    }
  }

  /** @param from the number of the first change that is included */
  const start = async (
    channel: Channel,
    requests: ChangeRequest[],
    from: number,
  ): Promise<SubscribeResult> => {
    const request = { requests }
    requested.set(channel, request)
    reader.update()
    const checked = await check(channel, request, from)
    if (checked === 'superseded' || !checked.ok) return checked
    await reader.whenReady()
    return requested.get(channel) === request && !channel.closed ? checked : 'superseded'
  }

  const recheck = async (channel: Channel): Promise<void> => {
    const request = requested.get(channel)
    const outcome = request ? await check(channel, request, 0) : 'superseded'
    if (outcome !== 'superseded' && !outcome.ok) refuse(channel, outcome.message)
  }

  const sendBatch = async (batch: NumberedChange[]): Promise<void> => {
    for (let attempts = 1; !state.closed; attempts++) {
      try {
        if (checking) await checking
        return send(await evaluateChanges({ pool, types, subscriptions, log }, batch))
      } catch (error) {
        const isUnavailable =
          error instanceof PostgresUnavailable ||
          error instanceof PoolTimeout ||
          error instanceof PoolExhausted
        if (!isUnavailable || attempts === maxAttempts) {
          log.error('realtime.changes_send_failed', {
            changes: batch.length,
            reason: (error as Error).message,
          })
          return
        }
        await sleep(minRetryDelayMs)
      }
    }
  }

  const isWithinRate = ({ to }: Delivery): boolean => {
    const [channel] = to.keys()
    return channel === undefined || takeDatabaseEvents(to.size, channel.name)
  }

  const send = ({ deliveries, failed }: Evaluation): void => {
    state.deliveries += writeDeliveries(deliveries.filter(isWithinRate))
    for (const [channel, error] of failed) refuse(channel, `A filter could not be applied: ${error.message}`)
  }

  /**
   * Subscribes a topic to the entries of `config.postgres_changes`; IDs count from 1. It resolves once no later
   * change can be missed, and retries while the database is unavailable.
   */
  const subscribe = async (
    channel: Channel,
    entries: Record<string, unknown>[],
  ): Promise<SubscribeResult> => {
    try {
      if (entries.length > maxEntries) throw new BadChangeRequest(`More than ${maxEntries} postgres_changes`)
      return await start(channel, entries.map(parseChangeRequest), queue.next)
    } catch (error) {
      if (!(error instanceof BadChangeRequest)) throw error
      return { ok: false, message: error.message }
    }
  }

  return {
    async join(channel, config) {
      const changes = config['postgres_changes']
      const entries = Array.isArray(changes) ? changes.filter((entry) => entry !== null).map(toRecord) : []
      const response = { postgres_changes: entries.map((entry, at) => ({ ...entry, id: at + 1 })) }
      if (entries.length === 0) return { response }
      const subscribing = subscribe(channel, entries)
      const waitMs = readWait(toRecord(config['postgres_changes_options']))
      if (waitMs !== null) await requireSubscription(subscribing, waitMs)
      const announce = async (): Promise<void> => {
        const result = await subscribing
        if (result === 'superseded') return
        if (result.ok) confirm(channel)
        else if (!channel.closed) channel.pushSystem('error', result.message, 'postgres_changes')
      }
      return { response, onJoined: () => void announce() }
    },
    /** Checks the subscriptions again, and sends the result. */
    onNewToken(channel) {
      const request = requested.get(channel)
      if (!request) return
      void start(channel, request.requests, 0).then((outcome) => {
        if (outcome === 'superseded') return
        if (outcome.ok) confirm(channel)
        else refuse(channel, outcome.message)
      })
    },
    leave(channel) {
      if (requested.has(channel)) removeChannel(channel)
    },
    stats: () => ({
      subscriptions: subscriptions.count,
      changesWaiting: queue.length,
      changesWal: reader.stats(),
      deliveries: state.deliveries,
    }),
    async close() {
      state.closed = true
      requested.clear()
      queue.clear()
      await reader.close()
    },
  }
}

/** Reads how long (ms) the reply waits for the subscription; null if it does not wait. */
function readWait({ wait, timeout }: Record<string, unknown>): number | null {
  if (!toBoolean(wait)) return null
  const requested = typeof timeout === 'number' && timeout > 0 ? timeout : joinWait.defaultMs
  return Math.min(requested, joinWait.maxMs)
}

/** Refuses the join if the subscription is not established within `ms`. */
async function requireSubscription(subscribing: Promise<SubscribeResult>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms)
  })
  const result = await Promise.race([subscribing, late])
  clearTimeout(timer)
  if (result === null) {
    throw new JoinRefused('PostgresChangesSubscribeTimeout: Changes could not be subscribed to in time')
  }
  if (result !== 'superseded' && !result.ok) {
    throw new JoinRefused(`RealtimeDisabledForConfiguration: ${result.message}`)
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

/** Writes to each socket once, its frames in order; a frame for several sockets is rendered once. */
function writeDeliveries(toSend: Delivery[]): number {
  const frames = new Map<Sink, Buffer[]>()
  let deliveries = 0
  for (const { data, to } of toSend) {
    const rendered = new Map<string, Buffer>()
    for (const [channel, ids] of to) {
      if (channel.closed) continue
      const { version } = channel.sink
      ids.sort((one, other) => one - other)
      const key = `${version} ${ids.join()} ${channel.name}`
      const frame =
        rendered.get(key) ?? wsFrame(renderChangeFrame(version, wireTopic(channel.name), ids, data))
      rendered.set(key, frame)
      const queued = frames.get(channel.sink)
      if (queued) queued.push(frame)
      else frames.set(channel.sink, [frame])
      deliveries++
    }
  }
  for (const [sink, queued] of frames) sink.write(queued.length === 1 ? queued[0]! : Buffer.concat(queued))
  return deliveries
}
