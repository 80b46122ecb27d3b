import { lookup } from 'node:dns/promises'
import { setMaxListeners } from 'node:events'
import type { ClientConfig } from 'pg'
import type { Logger } from '../../logging/log.ts'
import { keepListening } from '../../postgres/connections/keepListening.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { createHouse } from './createHouse.ts'
import { createTurns } from './createTurns.ts'
import type { Surroundings } from './findDestination.ts'
import { parseAllowed } from './parseAllowed.ts'
import { createAnswerKeeper } from './createAnswerKeeper.ts'
import { createRequestQueue, isDropped } from './requestQueue.ts'
import { sendRequest, type QueuedRequest } from './sendRequest.ts'

/** Requests under way at once. */
const mostAtOnce = 64
/** Names looked up at once: the system's resolver holds a thread of the few that files need too. */
const mostLookups = 2
/** Until a database that did not answer is asked again. */
const retryMs = 1_000
const expireEveryMs = 300_000
/** How long requests under way may still take when the server stops. */
const graceMs = 5_000
/** Refused places that the log has named; it names each once. */
const mostNamed = 1_000

export interface NetStats {
  /** Answered, whatever the status. */
  sent: number
  /** Without an answer: timeouts, names and connections that failed. */
  failed: number
  /** Not sent, since they led where nothing may go. */
  refused: number
  /** Under way. */
  active: number
}

export interface NetService {
  stats(): NetStats
  /** How many requests wait; 0 where the extension has been dropped. Rejects while PostgreSQL is away. */
  queued(): Promise<number>
  /** Hears of what is queued from now on; resolves when the first attempt to listen has ended. */
  ready: Promise<void>
  /** Takes no more from the queue; what is under way has a few seconds, and then counts as failed. */
  close(patienceMs?: number): Promise<void>
}

/**
 * Sends what `net.http_get`, `http_post` and `http_delete` have queued and keeps the answers. A request stays in the
 * queue until its answer is kept, so that none is lost; only a kill in between sends it once more, as upstream,
 * which takes a batch off the queue in one transaction with its answers.
 * Throws ConfigError for a list that means nothing.
 */
export function createNetService(o: {
  /** Of supabase_functions_admin, who may read the queue and write answers. */
  pool: Pool
  /** The same role, for a connection that listens. */
  listen: ClientConfig
  /** `[pg_net] allowed` of config.toml. */
  allowed: string[]
  /** The house listens already: what waits in the queue may be for itself. */
  localUrl: () => string
  publicUrl: () => string
  /** `[api] port` of config.toml, which migrations write into their URLs. */
  apiPort: number
  log: Logger
}): NetService {
  const queue = createRequestQueue(o.pool)
  const answers = createAnswerKeeper(queue, (request, reason) =>
    o.log.warn('net answer not kept', { request, reason }),
  )
  const inTurn = createTurns(mostLookups)
  const around: Surroundings = {
    house: createHouse(o),
    allowed: parseAllowed(o.allowed),
    resolve: (host) =>
      inTurn(async () => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)),
  }
  const counts = { sent: 0, failed: 0, refused: 0 }
  const active = new Map<string, Promise<void>>()
  const named = new Set<string>()
  const stopping = new AbortController()
  setMaxListeners(mostAtOnce, stopping.signal)
  const timers = new Set<NodeJS.Timeout>()
  let closed = false
  let filling = false
  let again = false
  /** Whether the queue held more than there was room for. */
  let more = false

  const later = (ms: number, work: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timer.unref()
    timers.add(timer)
  }

  const handle = async (request: QueuedRequest): Promise<void> => {
    const { outcome, refused } = await sendRequest(request, around, stopping.signal)
    if (refused) {
      counts.refused++
      const { host, why } = refused
      if (!named.has(host) && named.size < mostNamed) {
        named.add(host)
        o.log.warn('net refused', { host, why, allow: 'list it in config.toml, [pg_net] allowed' })
      }
    } else if (outcome.error_msg === null) counts.sent++
    else counts.failed++
    await answers.keep(request.id, outcome)
  }

  /** Takes from the queue for as long as there is room. */
  const fill = async (): Promise<void> => {
    if (filling || closed) {
      again = filling
      return
    }
    filling = true
    try {
      do {
        again = false
        const room = mostAtOnce - active.size
        if (room === 0) break
        const requests = await queue.next([...active.keys()], room)
        more = requests.length === room
        for (const request of requests) {
          if (closed) return
          const work = handle(request).finally(() => {
            active.delete(request.id)
            if (more) void fill()
          })
          active.set(request.id, work)
        }
      } while (again)
    } catch (error) {
      if (!closed && !isDropped(error)) {
        o.log.warn('net queue not read', { error: (error as Error).message })
        later(retryMs, () => void fill())
      }
    } finally {
      filling = false
    }
  }

  const expire = (): void => {
    // Away or dropped: there is another time.
    void queue.expire().catch(() => {})
    later(expireEveryMs, expire)
  }

  const listening = keepListening({
    config: o.listen,
    channel: 'linnet_net',
    name: 'pg_net 0.20.4',
    onConnected: () => void fill(),
    onMessage(word) {
      if (word === 'restart') listening.renew()
      else void fill()
    },
    onLost: (error, pause) => o.log.warn('net queue not heard', { error, retryMs: pause }),
  })
  expire()

  return {
    ready: listening.settled,
    stats: () => ({ ...counts, active: active.size }),
    queued: () =>
      queue.count().catch((error: unknown) => (isDropped(error) ? 0 : Promise.reject(error as Error))),
    async close(patienceMs = graceMs) {
      closed = true
      answers.giveUp()
      for (const timer of timers) clearTimeout(timer)
      await listening.close()
      const patience = setTimeout(() => stopping.abort(), patienceMs)
      await Promise.all(active.values())
      clearTimeout(patience)
    },
  }
}
