import { Client, DatabaseError } from 'pg'
import type { ClientConfig, QueryConfig, QueryResult, QueryResultRow } from 'pg'
import { createBudget, serverCallerKey } from '../../budgets/createBudget.ts'
import { createCallerActivity } from '../../budgets/createCallerActivity.ts'
import { createFairQueue } from '../../runtime/createFairQueue.ts'
import { cancelStatement } from './cancelStatement.ts'
import { commitOrThrow } from './commitOrThrow.ts'
import { RowRefused } from './RowInterceptor.ts'

/** The queue for connections is full: the service is overloaded (503, retry). */
export class PoolExhausted extends Error {
  override name = 'PoolExhausted'
}
/** This caller has used its share of the queue for connections (429, retry). */
export class CallerExceeded extends Error {
  override name = 'CallerExceeded'
}
/** No connection came free in time (504, retry). */
export class PoolTimeout extends Error {
  override name = 'PoolTimeout'
}
/** The server does not respond (503). */
export class PostgresUnavailable extends Error {
  override name = 'PostgresUnavailable'
}
/** The connection was lost during the statement, which may or may not have been executed (503). */
export class PostgresLost extends PostgresUnavailable {
  override name = 'PostgresLost'
}

/** A statement runs longer than its timeout allows, which PostgreSQL could not enforce (500). */
export class StatementOverdue extends Error {
  override name = 'StatementOverdue'
}

export interface PoolOptions {
  /** Maximum number of connections. */
  max: number
  /**
   * The maximum number of waiting requests; 500 by default. Further requests are refused with PoolExhausted, or with
   * CallerExceeded if the caller has used its share.
   */
  queue?: number
  /**
   * The maximum number of concurrent writes of a caller while others use the pool; by default the number of
   * connections. Writers of a channel wait for its lock, and concurrent writes of one caller would all wait before
   * others.
   */
  maxWritesBesideOthers?: number
  /** `application_name`. */
  name: string
  /** Milliseconds that a caller waits; 10 s by default. */
  acquireTimeoutMs?: number
  /** Called with each connection once it is open. */
  onOpen?: (client: Client) => void
}

/** The members of an AbortSignal that work on a connection uses. */
export interface CancelSignal {
  /** The value with which the aborted work rejects. */
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options: { once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export interface Pool {
  /** Runs one statement on any free connection. */
  query<R extends QueryResultRow = Record<string, unknown>>(
    query: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<R>>
  /**
   * Runs `fn` with a connection for itself. Callers are served in turn, and each has a share of the connections and
   * of the queue (`createBudget`). Work without a caller is the server's own. Work without `readOnly` counts as
   * writing. `fn` awaits all its queries and leaves no session state behind; an open transaction is rolled back. When
   * the signal aborts, the running statement is cancelled and the promise rejects with the signal's reason.
   * `createYieldingPool` may run reads at a lower priority.
   *
   * `maxMs`: the milliseconds after which the statement timeouts of `fn` have certainly passed. PostgreSQL does not check
   * them everywhere, such as while it normalises a text. The promise then rejects with StatementOverdue, and the pool opens
   * another connection in place of this one, for as many as a quarter of its maximum. This one is closed when `fn` ends.
   */
  withClient<T>(
    fn: (client: Client) => Promise<T>,
    signal?: CancelSignal,
    callerKey?: string,
    readOnly?: boolean,
    maxMs?: number,
  ): Promise<T>
  /** Runs `fn` between BEGIN and COMMIT. Sends ROLLBACK if `fn` rejects. */
  transaction<T>(fn: (client: Client) => Promise<T>, signal?: CancelSignal, callerKey?: string): Promise<T>
  /**
   * Uses new connections from now on, because settings of the login role or its database take effect at login. Work
   * in progress finishes on its connection.
   */
  renew(): void
  /** Closes a connection when its work ends. */
  retire(client: Client): void
  /** Refuses new work, waits for work in progress, closes all connections. */
  end(): Promise<void>
  stats(): PoolStats
}

export interface PoolStats {
  max: number
  total: number
  idle: number
  waiting: number
  /**
   * The number of requests since the start that were refused because their caller had used its share of the queue.
   */
  refused: number
}

/**
 * The factor of a caller that is alone. It may have 12 of 16 connections, so that four are free for later callers. Of
 * fewer than eight connections it may have half.
 */
const soleCallerFactorOf = (max: number): number => (max < 8 ? 1 : 3)

interface Waiter {
  readOnly: boolean
  fulfill(client: Client): void
  fail(error: Error): void
}

/**
 * Creates a bounded pool of pipelining clients with a bounded queue. Connections are opened when they are first
 * needed. A broken connection is replaced, so that the pool recovers once PostgreSQL runs again.
 */
export function createPool(config: ClientConfig, o: PoolOptions): Pool {
  const queueLimit = o.queue ?? 500
  const acquireTimeoutMs = o.acquireTimeoutMs ?? 10_000
  const idle: Client[] = []
  const all = new Set<Client>()
  const waiting = createFairQueue<Waiter>()
  const queueSlots = createBudget({ capacity: queueLimit })
  const { countUse, isAlone } = createCallerActivity(() => performance.now())
  const maxWrites = o.maxWritesBesideOthers ?? o.max
  /** The connections that callers use for writes. */
  const writes = createBudget({ capacity: Infinity })
  const connections = createBudget({ capacity: o.max, soleCallerFactor: soleCallerFactorOf(o.max) })
  /** Connections to close when their work ends. */
  const stale = new Set<Client>()
  /** Connections whose statement outlived its timeout; no longer among `all`. */
  const overdueClients = new Set<Client>()
  const maxOverdue = Math.max(1, Math.floor(o.max / 4))
  let opening = 0
  let ended = false
  let drained: (() => void) | undefined

  const remove = (client: Client): void => {
    all.delete(client)
    stale.delete(client)
    const at = idle.indexOf(client)
    if (at >= 0) idle.splice(at, 1)
    if (ended && all.size + opening === 0) drained?.()
  }

  const open = async (): Promise<Client> => {
    opening++
    const client = new Client({
      ...config,
      application_name: o.name,
      pipeline: true,
      connectionTimeoutMillis: acquireTimeoutMs,
    })
    // A broken connection emits this; its queries get the error too, so nothing is swallowed.
    client.on('error', () => remove(client))
    client.on('end', () => remove(client))
    try {
      await client.connect()
      o.onOpen?.(client)
      all.add(client)
      return client
    } catch (error) {
      client.end().catch(() => {})
      throw unavailableError(error)
    } finally {
      opening--
      if (ended && all.size + opening === 0) drained?.()
    }
  }

  /** Opens connections for waiting requests, up to the maximum. */
  const openForWaiting = (): void => {
    while (opening < waiting.size() && all.size + opening < o.max) {
      open().then(makeAvailable, (error: Error) => {
        // No other connection would serve them: they fail now rather than at their timeout.
        if (all.size === 0) failAll(error)
      })
    }
  }

  const failAll = (error: Error): void => {
    for (const waiter of waiting.take(waiting.size())) waiter.fail(error)
  }

  /** Takes one more connection for the caller. Returns false if its share does not allow this. */
  const takeShare = (callerKey: string, { readOnly }: Pick<Waiter, 'readOnly'>): boolean => {
    if (!connections.has(callerKey)) return false
    if (!readOnly && callerKey !== serverCallerKey) {
      if (writes.takenBy(callerKey) >= maxWrites && !isAlone(callerKey)) return false
      writes.force(callerKey, 1)
    }
    return connections.take(callerKey)
  }

  const acquire = (
    signal: CancelSignal | undefined,
    callerKey: string,
    readOnly: boolean,
  ): Promise<Client> | Client => {
    if (ended) throw new PostgresUnavailable('The connection pool has been closed.')
    signal?.throwIfAborted()
    if (callerKey !== serverCallerKey) countUse(callerKey)
    if (idle.length > 0 && takeShare(callerKey, { readOnly })) return idle.pop()!
    if (!queueSlots.take(callerKey)) {
      if (waiting.size() >= queueLimit) throw new PoolExhausted('Too many requests wait for the database.')
      throw new CallerExceeded('Too many requests of this caller wait for the database.')
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        queueSlots.release(callerKey)
      }
      const waiter: Waiter = {
        readOnly,
        fulfill(client) {
          leave()
          resolve(client)
        },
        fail(error) {
          waiting.remove(callerKey, waiter)
          leave()
          reject(error)
        },
      }
      const abort = (): void => waiter.fail(signal!.reason as Error)
      const timer = setTimeout(
        () => waiter.fail(new PoolTimeout('No database connection came free in time.')),
        acquireTimeoutMs,
      )
      signal?.addEventListener('abort', abort, { once: true })
      waiting.add(callerKey, waiter)
      openForWaiting()
    })
  }

  const close = (client: Client): void => {
    remove(client)
    client.end().catch(() => {})
  }

  /** Passes idle connections to queued requests in fair order, as far as the callers' shares allow. */
  const serveQueue = (): void => {
    while (idle.length > 0) {
      const waiter = waiting.next(takeShare)
      if (!waiter) break
      waiter.fulfill(idle.pop()!)
    }
    if (ended) for (const client of idle.splice(0)) void client.end()
  }

  const makeAvailable = (client: Client): void => {
    if (stale.has(client)) close(client)
    if (!all.has(client)) return openForWaiting()
    idle.push(client)
    serveQueue()
  }

  const releaseShare = (callerKey: string, readOnly: boolean): void => {
    connections.release(callerKey)
    if (!readOnly && callerKey !== serverCallerKey) writes.release(callerKey)
  }

  const release = (client: Client, callerKey: string, readOnly: boolean): void => {
    releaseShare(callerKey, readOnly)
    makeAvailable(client)
  }

  /** Rolls back a transaction that was left open. Closes the connection if that fails. */
  const rollBackOpenTransaction = async (client: Client): Promise<void> => {
    if (client.getTransactionStatus() === 'I') return
    try {
      await client.query('rollback')
    } catch {
      close(client)
    }
  }

  const runOn = async <T>(
    client: Client,
    fn: (client: Client) => Promise<T>,
    signal: CancelSignal | undefined,
  ): Promise<T> => {
    let cancelling: Promise<void> | undefined
    const abort = (): void => {
      cancelling = cancelStatement(client)
    }
    signal?.addEventListener('abort', abort, { once: true })
    try {
      const result = await fn(client)
      signal?.throwIfAborted()
      return result
    } catch (error) {
      // The server closes a connection after a FATAL error, and that may be noticed only by its next user.
      if (isFatal(error)) close(client)
      signal?.throwIfAborted()
      throw isDisconnection(error, all.has(client)) ? lostError(error) : error
    } finally {
      signal?.removeEventListener('abort', abort)
      if (cancelling) {
        // A cancel request still in flight must not hit the next caller's statement.
        await cancelling
        await client.query('select').catch(() => {})
      }
      if (all.has(client) && client.getTransactionStatus() !== 'I') await rollBackOpenTransaction(client)
    }
  }

  const withClient: Pool['withClient'] = async (
    fn,
    signal,
    callerKey = serverCallerKey,
    readOnly = false,
    maxMs,
  ) => {
    const client = await acquire(signal, callerKey, readOnly)
    let timer: NodeJS.Timeout | undefined
    const work = runOn(client, fn, signal).finally(() => {
      clearTimeout(timer)
      if (overdueClients.delete(client)) client.end().catch(() => {})
      else release(client, callerKey, readOnly)
    })
    if (maxMs === undefined) return work
    return new Promise((resolve, reject) => {
      work.then(resolve, reject)
      timer = setTimeout(() => {
        if (overdueClients.size >= maxOverdue) return
        overdueClients.add(client)
        remove(client)
        releaseShare(callerKey, readOnly)
        reject(new StatementOverdue('The statement runs longer than its timeout allows.'))
        serveQueue()
        openForWaiting()
      }, maxMs)
    })
  }

  return {
    query: (query, values) => withClient((client) => client.query(query as string, values)),
    withClient,
    transaction: (fn, signal, callerKey) =>
      withClient(
        async (client) => {
          // Not awaited: it is sent with the first statement of `fn`, which fails where this does.
          const beginning = client.query('begin')
          beginning.catch(() => {})
          const result = await fn(client)
          await beginning
          await commitOrThrow(client)
          return result
        },
        signal,
        callerKey,
      ),
    retire: (client) => void stale.add(client),
    renew() {
      for (const client of all) stale.add(client)
      for (const client of idle.splice(0)) close(client)
    },
    async end() {
      ended = true
      failAll(new PostgresUnavailable('The connection pool has been closed.'))
      serveQueue()
      // Their callers have a result already.
      for (const client of overdueClients) client.end().catch(() => {})
      if (all.size + opening > 0) await new Promise<void>((resolve) => (drained = resolve))
    },
    stats: () => ({
      max: o.max,
      total: all.size + opening,
      idle: idle.length,
      waiting: waiting.size(),
      refused: queueSlots.stats().refused,
    }),
  }
}

function unavailableError(error: unknown): PostgresUnavailable {
  return new PostgresUnavailable(`The database does not answer: ${(error as Error).message}`, {
    cause: error,
  })
}

function lostError(error: unknown): PostgresLost {
  return new PostgresLost(`The connection to the database was lost: ${(error as Error).message}`, {
    cause: error,
  })
}

/**
 * Whether the server has ended the session, or the connection broke during the query. The error of an ended session
 * is of class 57P and fatal. A function may raise such a code without it being fatal.
 */
function isDisconnection(error: unknown, connected: boolean): boolean {
  if (error instanceof RowRefused) return false
  if (error instanceof DatabaseError) return isFatal(error) && (error.code?.startsWith('57P') ?? false)
  return !connected && error instanceof Error
}

function isFatal(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'FATAL'
}
