import type { ClientConfig, QueryResultRow } from 'pg'
import { createPool, type Pool } from '../../postgres/connections/pool.ts'

/** The database did not tell: too slow, locked, or not there. `message` is a sentence for the page. */
export class Unread extends Error {
  override name = 'Unread'
  /** SQLSTATE, where the database said one. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

/** Null in place of what could not be read. */
export async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Unread) return null
    throw error
  }
}

export interface DatabaseReader {
  /** One statement that reads, given at most 3 s. Throws Unread. */
  read<R extends QueryResultRow>(sql: string, values?: unknown[]): Promise<R[]>
  /** The same with 20 s, for what the owner asked to be counted. Throws Unread. */
  readLong<R extends QueryResultRow>(sql: string, values?: unknown[]): Promise<R[]>
  close(): Promise<void>
  /** For figures. */
  pool: Pool
}

/** Connections are given back when nobody has looked for so long: an idle one costs the house memory. */
const keepMs = 30_000

const settings = [
  'default_transaction_read_only=on',
  'statement_timeout=3s',
  // A migration that holds a table must not make the page wait, nor others behind it.
  'lock_timeout=300ms',
  // What lies in other schemas is always named whole, so that nobody's function of the same name is called.
  'search_path=',
  'jit=off',
  'max_parallel_workers_per_gather=0',
]

/** Reads as a role that sees all rows and changes none, on two connections at most. */
export function createDatabaseReader(config: ClientConfig): DatabaseReader {
  const pool = createPool(
    { ...config, options: settings.map((setting) => `-c ${setting}`).join(' ') },
    { max: 2, queue: 40, name: 'linnet dashboard', acquireTimeoutMs: 3_000 },
  )
  let rest: NodeJS.Timeout | undefined
  const restLater = (): void => {
    clearTimeout(rest)
    rest = setTimeout(() => pool.renew(), keepMs)
    rest.unref()
  }
  const asUnread = (error: unknown): Unread => {
    const { code, message } = error as { code?: string; message: string }
    if (code === '57014') return new Unread('That takes too long to find out just now.', code)
    if (code === '55P03') return new Unread('Something holds a lock on it. Try again in a moment.', code)
    if (code === undefined) return new Unread('The database does not answer.')
    return new Unread(`The database refused: ${message}`, code)
  }
  return {
    async read<R extends QueryResultRow>(sql: string, values?: unknown[]) {
      try {
        return (await pool.query<R>(sql, values)).rows
      } catch (error) {
        throw asUnread(error)
      } finally {
        restLater()
      }
    },
    async readLong<R extends QueryResultRow>(sql: string, values?: unknown[]) {
      try {
        return await pool.transaction(async (client) => {
          await client.query(`set local statement_timeout = '20s'`)
          return (await client.query<R>(sql, values)).rows
        })
      } catch (error) {
        throw asUnread(error)
      } finally {
        restLater()
      }
    },
    async close() {
      clearTimeout(rest)
      await pool.end()
    },
    pool,
  }
}
