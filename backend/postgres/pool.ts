import pg from 'pg'

/** Too many wait for a connection already: the service is overloaded (503, retry). */
export class PoolExhausted extends Error {
  override name = 'PoolExhausted'
}
/** No connection came free in time (504 or 503, retry). */
export class PoolTimeout extends Error {
  override name = 'PoolTimeout'
}
/** The server does not answer: it starts, stops or is gone (503, retry). */
export class PostgresUnavailable extends Error {
  override name = 'PostgresUnavailable'
}

export interface PoolOptions {
  /** Connections at most. */
  max: number
  /** Callers that may wait for one; more are refused with PoolExhausted. 500 unless said. */
  queue?: number
  /** `application_name`. */
  name: string
  /** How long a caller waits; 10 s unless said. */
  acquireTimeoutMs?: number
}

export interface Pool {
  query<R extends pg.QueryResultRow = Record<string, unknown>>(
    query: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<R>>
  withClient<T>(fn: (client: pg.Client) => Promise<T>, signal?: AbortSignal): Promise<T>
  transaction<T>(fn: (client: pg.Client) => Promise<T>, signal?: AbortSignal): Promise<T>
  end(): Promise<void>
  stats(): { total: number; idle: number; waiting: number }
}

interface Waiter {
  give: (client: pg.Client) => void
  fail: (error: Error) => void
}

/** A bounded pool of pipelining clients. */
export function createPool(config: pg.ClientConfig, o: PoolOptions): Pool {
  const idle: pg.Client[] = []
  const waiting: Waiter[] = []
  const broken = new WeakSet<pg.Client>()
  const all = new Set<pg.Client>()
  let opening = 0
  let ended = false

  const drop = (client: pg.Client): void => {
    broken.add(client)
    all.delete(client)
    const at = idle.indexOf(client)
    if (at >= 0) idle.splice(at, 1)
  }

  const open = async (): Promise<pg.Client> => {
    opening++
    try {
      const client = new pg.Client({ ...config, application_name: o.name, pipeline: true } as pg.ClientConfig)
      client.on('error', () => drop(client))
      client.on('end', () => drop(client))
      await client.connect()
      all.add(client)
      return client
    } catch (error) {
      throw new PostgresUnavailable(`The database does not answer: ${(error as Error).message}`, {
        cause: error,
      })
    } finally {
      opening--
    }
  }

  const acquire = async (): Promise<pg.Client> => {
    if (ended) throw new PostgresUnavailable('The pool has ended.')
    const free = idle.pop()
    if (free) return free
    if (all.size + opening < o.max) return open()
    if (waiting.length >= (o.queue ?? 500))
      throw new PoolExhausted('Too many requests wait for the database.')
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        give: (client) => {
          clearTimeout(timer)
          resolve(client)
        },
        fail: (error) => {
          clearTimeout(timer)
          reject(error)
        },
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1)
        reject(new PoolTimeout('No database connection came free in time.'))
      }, o.acquireTimeoutMs ?? 10_000)
      waiting.push(waiter)
    })
  }

  const release = (client: pg.Client): void => {
    if (ended) {
      void client.end()
      return
    }
    const next = waiting.shift()
    if (!broken.has(client)) {
      if (next) next.give(client)
      else idle.push(client)
    } else if (next) {
      open().then(next.give, next.fail)
    }
  }

  const withClient: Pool['withClient'] = async (fn) => {
    const client = await acquire()
    try {
      return await fn(client)
    } finally {
      release(client)
    }
  }

  return {
    query: (query, values) => withClient((client) => client.query(query as string, values)),
    withClient,
    transaction: (fn, signal) =>
      withClient(async (client) => {
        await client.query('begin')
        try {
          const result = await fn(client)
          await client.query('commit')
          return result
        } catch (error) {
          await client.query('rollback').catch(() => {})
          throw error
        }
      }, signal),
    async end() {
      ended = true
      for (const waiter of waiting.splice(0)) waiter.fail(new PostgresUnavailable('The pool has ended.'))
      await Promise.all(idle.splice(0).map((client) => client.end()))
    },
    stats: () => ({ total: all.size, idle: idle.length, waiting: waiting.length }),
  }
}
