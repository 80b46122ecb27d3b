import { setMaxListeners } from 'node:events'
import type { ClientConfig } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import { createNotificationListener } from '../../postgres/connections/createNotificationListener.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { createCallerSlots } from '../../runtime/createCallerSlots.ts'
import { createTaskQueue } from '../../runtime/createTaskQueue.ts'
import { lookupAll } from '../../runtime/outbound/resolveHost.ts'
import { createOwnEndpoint } from './ownEndpoint.ts'
import type { DestinationContext } from './findDestination.ts'
import { parseAllowed } from './parseAllowed.ts'
import { createResponseRecorder } from './createResponseRecorder.ts'
import { createRequestQueue, isDropped } from './requestQueue.ts'
import { sendRequest, type QueuedRequest } from './sendRequest.ts'

/** The maximum number of concurrent requests. */
const maxConcurrentRequests = 64
/**
 * The maximum number of large bodies that are buffered at once, until they are stored. Together with the beginnings of the
 * others, responses take at most 36 MiB, and as much again while they are decoded and written.
 */
const maxLargeBodies = 4
/**
 * The maximum number of concurrent DNS lookups. Each occupies one of the few threads that file operations need too.
 */
const maxConcurrentLookups = 2
/** Milliseconds until the queue is read again after the database did not respond. */
const retryDelayMs = 1_000
const expireIntervalMs = 300_000
/** Milliseconds that requests in progress may still take when the server stops. */
const closeTimeoutMs = 5_000
/** The number of refused hosts that are remembered, so that each is logged once. */
const maxLoggedHosts = 1_000

export interface PgNetStats {
  /** Requests with a response of any status. */
  sent: number
  /** Requests without a response: timeouts, failed lookups and connections. */
  failed: number
  /** Requests that were not sent, because their destination is not allowed. */
  refused: number
  /** Requests in progress. */
  active: number
}

export interface PgNetService {
  stats(): PgNetStats
  /** Number of queued requests; 0 if the extension was dropped. Rejects while PostgreSQL is unavailable. */
  queued(): Promise<number>
  /** Resolves when the first attempt to listen for new requests has ended. */
  ready: Promise<void>
  /** Stops reading the queue. Requests in progress fail after `timeoutMs`. */
  close(timeoutMs?: number): Promise<void>
}

/**
 * Sends the requests that `net.http_get`, `http_post` and `http_delete` have queued, and stores the responses. A
 * request stays in the queue until its response is stored, so that none is lost. A crash in between sends it once
 * more. pg_net does the same: it removes a batch from the queue in one transaction with its responses. Throws
 * ConfigError for an invalid list.
 */
export function createPgNetService(o: {
  /** A pool of supabase_functions_admin, which may read the queue and write responses. */
  pool: Pool
  /** The login of the same role, for a connection that listens. */
  listen: ClientConfig
  /** `[pg_net] allowed` of config.toml. */
  allowed: string[]
  /** The URL of this server, which listens already. Queued requests may be for it. */
  localUrl: () => string
  publicUrl: () => string
  /** `[api] port` of config.toml. Migrations write this port into their URLs. */
  apiPort: number
  /** Whether this server is a restored copy: requests to other servers are then refused. By default it never is. */
  isOutgoingPaused?: () => boolean
  log: Logger
}): PgNetService {
  const ownEndpoint = createOwnEndpoint(o)
  const queue = createRequestQueue({ pool: o.pool, ownOrigins: ownEndpoint.origins })
  const recorder = createResponseRecorder(queue, (id, reason) =>
    o.log.warn('pg_net.response_store_failed', { id, reason }),
  )
  const lookups = createTaskQueue({
    maxConcurrent: maxConcurrentLookups,
    maxWaiting: maxConcurrentRequests,
    errors: {
      full: () => new Error('too many DNS lookups'),
      aborted: () => new Error('aborted'),
    },
  })
  const context: DestinationContext = {
    ownEndpoint,
    allowed: parseAllowed(o.allowed),
    isPaused: o.isOutgoingPaused ?? (() => false),
    resolve: (host) => lookups.run({ caller: host }, () => lookupAll(host)),
  }
  const largeBodies = createTaskQueue({
    maxConcurrent: maxLargeBodies,
    maxWaiting: maxConcurrentRequests,
    isShared: true,
    errors: {
      full: () => new Error('too many large responses'),
      aborted: () => new Error('aborted'),
    },
  })
  const counts = { sent: 0, failed: 0, refused: 0 }
  const active = new Map<string, Promise<void>>()
  // Requests to others must not wait for a server that hangs, or for a function of this server that is slow.
  const slots = createCallerSlots({ max: maxConcurrentRequests, isShared: true })
  const loggedHosts = new Set<string>()
  const stopping = new AbortController()
  setMaxListeners(maxConcurrentRequests, stopping.signal)
  const timers = new Set<NodeJS.Timeout>()
  let closed = false
  let filling = false
  let fillAgain = false
  /** Whether the queue contained more requests than could be started. */
  let hasMore = false

  const setServiceTimer = (ms: number, work: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timer.unref()
    timers.add(timer)
  }

  /** Resolves when the request may buffer a large body. It holds the place until its response is stored. */
  const admitLargeBody = ({ id, url }: QueuedRequest, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const hold = (): Promise<void> => {
        resolve()
        return active.get(id)!
      }
      largeBodies.run({ caller: queue.receiverOf(url), signal }, hold).catch(reject)
    })

  const handle = async (request: QueuedRequest): Promise<void> => {
    const { outcome, refused } = await sendRequest(request, context, stopping.signal, (signal) =>
      admitLargeBody(request, signal),
    )
    if (refused) {
      counts.refused++
      const { host, why } = refused
      if (!loggedHosts.has(host) && loggedHosts.size < maxLoggedHosts) {
        loggedHosts.add(host)
        o.log.warn('pg_net.request_refused', {
          host,
          reason: why,
          fix: 'list it in linnet.toml, [pg_net] allowed',
        })
      }
    } else if (outcome.error_msg === null) counts.sent++
    else counts.failed++
    await recorder.record(request.id, outcome)
  }

  const start = (request: QueuedRequest): void => {
    const receiver = queue.receiverOf(request.url)
    slots.take(receiver)
    const work = handle(request).finally(() => {
      active.delete(request.id)
      slots.release(receiver)
      // The queue that is being read now may leave out what this server was sent until here.
      if (hasMore || filling) void fill()
    })
    active.set(request.id, work)
  }

  /** Reads the queue until the maximum of requests is in progress. */
  const fill = async (): Promise<void> => {
    if (filling || closed) {
      fillAgain = filling
      return
    }
    filling = true
    try {
      do {
        fillAgain = false
        const free = slots.free()
        if (free === 0) break
        const saturated = slots.saturated()
        const requests = await queue.next([...active.keys()], saturated, free)
        hasMore = requests.length === free || saturated.length > 0
        for (const request of requests) {
          if (closed) return
          // The others are read again, without this server's.
          if (slots.canTake(queue.receiverOf(request.url))) start(request)
          else fillAgain = true
        }
      } while (fillAgain)
    } catch (error) {
      if (!closed && !isDropped(error)) {
        o.log.warn('pg_net.queue_read_failed', { reason: (error as Error).message })
        setServiceTimer(retryDelayMs, () => void fill())
      }
    } finally {
      filling = false
    }
  }

  const expire = (): void => {
    // If the database is unavailable or the extension was dropped, the next run expires them.
    void queue.expire().catch(() => {})
    setServiceTimer(expireIntervalMs, expire)
  }

  const listening = createNotificationListener({
    config: o.listen,
    channel: 'linnet_net',
    name: 'pg_net 0.20.4',
    onConnected: () => void fill(),
    onMessage(payload) {
      if (payload === 'restart') listening.reconnect()
      else void fill()
    },
    onLost: (reason, retryMs) => o.log.warn('pg_net.notifications_interrupted', { reason, retryMs }),
  })
  expire()

  return {
    ready: listening.firstAttempt,
    stats: () => ({ ...counts, active: active.size }),
    queued: () =>
      queue.count().catch((error: unknown) => (isDropped(error) ? 0 : Promise.reject(error as Error))),
    async close(timeoutMs = closeTimeoutMs) {
      closed = true
      recorder.stopRetrying()
      for (const timer of timers) clearTimeout(timer)
      await listening.close()
      const timer = setTimeout(() => stopping.abort(), timeoutMs)
      await Promise.all(active.values())
      clearTimeout(timer)
    },
  }
}
