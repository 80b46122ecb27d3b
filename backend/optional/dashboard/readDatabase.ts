import type { ClientConfig, QueryResultRow } from 'pg'
import { createPool, type Pool } from '../../postgres/connections/pool.ts'

/** A query failed, as it was too slow or the database is locked or down. `message` is shown on the page. */
export class ReadError extends Error {
  override name = 'ReadError'
  /** SQLSTATE, if the error came from the database. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

/** Converts ReadError to null. */
export async function nullOnError<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result
  } catch (error) {
    if (error instanceof ReadError) return null
    throw error
  }
}

export interface DatabaseReader {
  /** Runs a read-only statement for at most 3 s. Throws ReadError. */
  read<R extends QueryResultRow>(sql: string, values?: unknown[]): Promise<R[]>
  /** The same for at most 20 s, for counts that the user requested. Throws ReadError. */
  readLong<R extends QueryResultRow>(sql: string, values?: unknown[]): Promise<R[]>
  close(): Promise<void>
  /** For metrics. */
  pool: Pool
}

/** Closes connections after this time without a request: idle ones cost memory. */
const idleTimeoutMs = 30_000

const settings = [
  'default_transaction_read_only=on',
  'statement_timeout=3s',
  // The page must not wait for a lock of a migration, nor make other queries wait behind it.
  'lock_timeout=300ms',
  // All names are qualified, so that no other function of the same name is called.
  'search_path=',
  'jit=off',
  'max_parallel_workers_per_gather=0',
]

/** Reads as a role that can select all rows and change none, with at most two connections. */
export function createDatabaseReader(config: ClientConfig): DatabaseReader {
  const pool = createPool(
    { ...config, options: settings.map((setting) => `-c ${setting}`).join(' ') },
    { max: 2, queue: 40, name: 'linnet dashboard', acquireTimeoutMs: 3_000 },
  )
  let idleTimer: NodeJS.Timeout | undefined
  const scheduleIdleClose = (): void => {
    clearTimeout(idleTimer)
    idleTimer = setTimeout(() => pool.renew(), idleTimeoutMs)
    idleTimer.unref()
  }
  const toReadError = (error: unknown): ReadError => {
    const { code, message } = error as { code?: string; message: string }
    if (code === '57014') return new ReadError('The query took too long.', code)
    if (code === '55P03') return new ReadError('It is locked. Try again in a moment.', code)
    if (code === undefined) return new ReadError('The database does not respond.')
    return new ReadError(`The database returned an error: ${message}`, code)
  }
  return {
    async read<R extends QueryResultRow>(sql: string, values?: unknown[]) {
      try {
        return (await pool.query<R>(sql, values)).rows
      } catch (error) {
        throw toReadError(error)
      } finally {
        scheduleIdleClose()
      }
    },
    async readLong<R extends QueryResultRow>(sql: string, values?: unknown[]) {
      try {
        return await pool.transaction(async (client) => {
          await client.query(`set local statement_timeout = '20s'`)
          return (await client.query<R>(sql, values)).rows
        })
      } catch (error) {
        throw toReadError(error)
      } finally {
        scheduleIdleClose()
      }
    },
    async close() {
      clearTimeout(idleTimer)
      await pool.end()
    },
    pool,
  }
}
