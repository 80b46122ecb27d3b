import type pg from 'pg'
import { DatabaseError } from 'pg'
import type { Pool } from '../../postgres/connections/pool.ts'
import { describeRequest, type ChangeRequest } from './changeRequest.ts'
import {
  ChangeRequestRefused,
  checkRequest,
  DatabaseRefusal,
  type CheckedRequest,
  type PublishedTable,
  type ReadableTables,
} from './checkRequest.ts'
import { sessionSettings } from './sessionSettings.ts'
import type { ValueTypes } from './ValueTypes.ts'

export interface RequestChecker {
  /**
   * Checks the requests of one join for a role. Rejects with ChangeRequestRefused for the first that is refused, and if
   * the database is unavailable.
   */
  check(role: string, requests: ChangeRequest[]): Promise<CheckedRequest[]>
}

interface Job {
  role: string
  requests: ChangeRequest[]
  resolve: (checked: CheckedRequest[]) => void
  reject: (error: Error) => void
}

/** Joins checked in one transaction. */
const maxBatch = 50
const statementTimeoutSeconds = 2

/**
 * Checks waiting requests in batches, on one connection at a time: after a server restart all clients join at once, and
 * the policies that their joins wait for need connections too.
 */
export function createRequestChecker(pool: Pool, types: ValueTypes, publication: string): RequestChecker {
  let waiting: Job[] = []
  let working = false

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch)
      waiting = waiting.slice(maxBatch)
      try {
        await pool.withClient((client) => checkBatch(client, batch))
      } catch (error) {
        // Jobs that were resolved before are not affected.
        for (const job of batch) job.reject(error as Error)
      }
    }
    working = false
  }

  const checkBatch = async (client: pg.Client, batch: Job[]): Promise<void> => {
    await client.query(
      `begin read only; ${sessionSettings}; set local statement_timeout = '${statementTimeoutSeconds}s'; savepoint begun`,
    )
    const roles = new Map<string, ReadableTables>()
    for (const job of batch) {
      const { role } = job
      const readable = roles.get(role) ?? {
        role,
        tables: await readTables(client, publication, role),
        columns: new Map(),
      }
      roles.set(role, readable)
      try {
        job.resolve(await checkOne(client, job.requests, readable))
      } catch (error) {
        if (!(error instanceof ChangeRequestRefused)) throw error
        job.reject(error)
      }
    }
    await client.query('rollback')
  }

  const checkOne = async (
    client: pg.Client,
    requests: ChangeRequest[],
    readable: ReadableTables,
  ): Promise<CheckedRequest[]> => {
    const checked: CheckedRequest[] = []
    for (const request of requests) {
      try {
        checked.push(await checkRequest(client, types, readable, request))
      } catch (error) {
        const refusal = toRefusal(error)
        if (!refusal) throw error
        await client.query('rollback to savepoint begun')
        throw new ChangeRequestRefused(
          `Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: ${describeRequest(request)}. Exception: ${refusal.message}`,
        )
      }
    }
    return checked
  }

  return {
    check: (role, requests) =>
      new Promise((resolve, reject) => {
        // PostgreSQL's text cannot contain NUL: the whole batch would fail.
        if (role.includes('\0')) return reject(new ChangeRequestRefused('No role has such a name'))
        waiting.push({ role, requests, resolve, reject })
        if (working) return
        working = true
        void work()
      }),
  }
}

function toRefusal(error: unknown): DatabaseRefusal | null {
  if (error instanceof DatabaseRefusal) return error
  if (!(error instanceof DatabaseError) || error.severity !== 'ERROR') return null
  return new DatabaseRefusal(error.code ?? '', error.message)
}

async function readTables(
  client: pg.ClientBase,
  publication: string,
  role: string,
): Promise<PublishedTable[] | null> {
  const { rows } = await client.query<PublishedTable & Record<string, unknown>>({
    name: 'realtime_published_tables',
    text: `select c.oid::int8::float8 as id, p.schemaname as schema, p.tablename as name
           from pg_catalog.pg_roles r, pg_catalog.pg_publication_tables p
           join pg_catalog.pg_namespace n on n.nspname = p.schemaname
           join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = p.tablename
           where p.pubname = $1 and r.rolname = $2`,
    values: [publication, role],
  })
  if (rows.length > 0) return rows
  const { rowCount } = await client.query('select from pg_catalog.pg_roles where rolname = $1', [role])
  return rowCount === 0 ? null : rows
}
