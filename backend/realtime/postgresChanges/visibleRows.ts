import type pg from 'pg'
import type { Caller } from '../../../wire/claims.ts'
import type { TableFacts } from './tableFacts.ts'

/** Which of these rows does the caller see now? Keys in the order of `table.keys`. */
export interface Look {
  caller: Caller
  table: TableFacts
  rows: { index: number; key: string[] }[]
}

/** The rows seen, by their index; what a policy that raised an error says counts as no. */
export interface Seen {
  look: Look
  seen: Set<number>
  error: Error | null
}

/** A policy slower than this says no, so that it can't hold up the others for long. */
const slowestPolicy = '2s'
const cancelled = '57014'
const transactionAborted = '25P02'

/**
 * Asks the policies of tables, as each caller in turn: to be told of a row is to see it. All that are asked
 * at once share a transaction, which is rolled back; one that fails takes those behind it along, which are
 * asked again.
 */
export async function askVisibleRows(client: pg.ClientBase, looks: Look[]): Promise<Seen[]> {
  const answers: Seen[] = []
  let left = looks
  while (left.length > 0) {
    const begin = client.query(
      `begin; set local statement_timeout = '${slowestPolicy}'; set local search_path = public, extensions`,
    )
    const asking = left.map((look) => ask(client, look))
    const settled = Promise.allSettled(asking)
    const end = client.query('rollback')
    // All are on the wire before the first is awaited; whichever fails, every promise is looked at.
    const [, results] = await Promise.all([begin, settled, end])
    const again: Look[] = []
    const slow = new Map<TableFacts, Error>()
    results.forEach((result, at) => {
      const look = left[at]!
      if (result.status === 'fulfilled') answers.push({ look, seen: result.value, error: null })
      else if (codeOf(result.reason) === transactionAborted) again.push(look)
      else {
        answers.push({ look, seen: new Set(), error: result.reason as Error })
        if (codeOf(result.reason) === cancelled) slow.set(look.table, result.reason as Error)
      }
    })
    // Where the first is aborted too, it was not a policy: the transaction itself has failed.
    if (again.length === left.length) throw new Error('the transaction has failed')
    // What is too slow for one is so for all: asked one by one they would hold up every other table.
    left = again.filter((look) => {
      const error = slow.get(look.table)
      if (error) answers.push({ look, seen: new Set(), error })
      return !error
    })
  }
  return answers
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code
}

async function ask(client: pg.ClientBase, { caller, table, rows }: Look): Promise<Set<number>> {
  const [, seen] = await Promise.all([
    client.query({
      name: 'realtime_look_as',
      text: `select octet_length(concat(
               set_config('request.jwt.claims', $1, true), set_config('request.jwt.claim.sub', $2, true),
               set_config('request.jwt.claim.role', $3, true), set_config('request.headers', '{}', true),
               set_config('realtime.topic', '', true), set_config('role', $3, true)))`,
      values: [caller.claimsJson, caller.claims.sub ?? '', caller.role],
    }),
    client.query<{ n: number }>({
      text: lookStatement(table),
      values: [
        rows.map((row) => row.index),
        ...[...table.keys.keys()].map((_, place) => rows.map((row) => row.key[place])),
      ],
    }),
  ])
  return new Set(seen.rows.map((row) => row.n))
}

/** The limit keeps each look-up to itself: joined at once, a table may be read from end to end. */
function lookStatement(table: TableFacts): string {
  const keys = [...table.keys]
  const arrays = keys.map((_, place) => `$${place + 2}::text[]`)
  const names = keys.map((_, place) => `k${place}`)
  const equal = keys.map(([name, type], place) => `r.${quoteName(name)} = wanted.k${place}::${type}`)
  return `select wanted.n from unnest($1::int4[], ${arrays.join(', ')}) wanted (n, ${names.join(', ')})
    cross join lateral (select from ${table.sqlName} r where ${equal.join(' and ')} limit 1) there`
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
