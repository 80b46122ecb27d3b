import type pg from 'pg'
import { sessionSettings } from './sessionSettings.ts'

/** A query that returns one row, whose column `results` is an array. */
export interface ArrayQuery {
  text: string
  values: unknown[]
}

/** Matching a pattern may take this long; a longer time counts as an error. */
const statementTimeout = '1s'

/**
 * Runs several queries in one pipelined transaction, each in a savepoint of its own; the error in place of the results
 * if one fails.
 */
export async function runIsolated<T>(client: pg.ClientBase, queries: ArrayQuery[]): Promise<(T[] | Error)[]> {
  if (queries.length === 0) return []
  const begin = client.query(
    `begin read only; ${sessionSettings}; set local statement_timeout = '${statementTimeout}'`,
  )
  const running = queries.map(async (query) => {
    const [savepoint, result, rolledBack] = await Promise.allSettled([
      client.query('savepoint one'),
      client.query<{ results: T[] }>(query),
      client.query('rollback to savepoint one'),
    ])
    const failed = [savepoint, rolledBack].find((step) => step.status === 'rejected')
    if (failed) throw failed.reason
    return result.status === 'fulfilled' ? result.value.rows[0]!.results : (result.reason as Error)
  })
  const settled = Promise.allSettled(running)
  const end = client.query('rollback')
  // Every promise is handled, whichever fails.
  const [, results] = await Promise.all([begin, settled, end])
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
