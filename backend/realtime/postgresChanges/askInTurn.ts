import type pg from 'pg'
import { sessionSettings } from './sessionSettings.ts'

/** A statement that gives one row, whose column `answers` is an array. */
export interface Asked {
  text: string
  values: unknown[]
}

/** What is asked of a pattern may take this long; what takes longer counts as an error. */
const slowest = '1s'

/**
 * Asks several statements in one transaction, all on the wire at once, each kept from the errors of the
 * others; the error in place of an answer where it failed.
 */
export async function askInTurn<T>(client: pg.ClientBase, asked: Asked[]): Promise<(T[] | Error)[]> {
  if (asked.length === 0) return []
  const begin = client.query(
    `begin read only; ${sessionSettings}; set local statement_timeout = '${slowest}'`,
  )
  const asking = asked.map(async (query) => {
    const [saved, answered, undone] = await Promise.allSettled([
      client.query('savepoint one'),
      client.query<{ answers: T[] }>(query),
      client.query('rollback to savepoint one'),
    ])
    const broken = [saved, undone].find((step) => step.status === 'rejected')
    if (broken) throw broken.reason
    return answered.status === 'fulfilled' ? answered.value.rows[0]!.answers : (answered.reason as Error)
  })
  const settled = Promise.allSettled(asking)
  const end = client.query('rollback')
  // Whichever fails, every promise is looked at.
  const [, results] = await Promise.all([begin, settled, end])
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
