import type pg from 'pg'
import { sessionSettings } from './sessionSettings.ts'

/** A statement that gives one row, whose column `results` is an array. */
export interface ArrayQuery {
  text: string
  values: unknown[]
}

/** What is asked of a pattern may take this long; what takes longer counts as an error. */
const statementTimeout = '1s'

/**
 * Asks several statements in one transaction, all on the wire at once, each kept from the errors of the
 * others; the error in place of an answer where it failed.
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
  // Whichever fails, every promise is looked at.
  const [, results] = await Promise.all([begin, settled, end])
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
