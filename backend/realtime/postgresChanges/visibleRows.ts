import type pg from 'pg'
import type { Caller } from '../../../wire/claims.ts'
import type { TableInfo } from './tableInfo.ts'

/** Which of these rows does the caller see now? Keys in the order of `table.keys`. */
export interface RlsCheck {
  caller: Caller
  table: TableInfo
  rows: { index: number; key: string[] }[]
}

/** The rows seen, by their index; what a policy that raised an error says counts as no. */
export interface RlsResult {
  check: RlsCheck
  visible: Set<number>
  error: Error | null
}

/** A policy slower than this says no, so that it can't hold up the others for long. */
const policyTimeout = '2s'
const cancelled = '57014'
const transactionAborted = '25P02'

/**
 * Asks the policies of tables, as each caller in turn: to be told of a row is to see it. All that are asked
 * at once share a transaction, which is rolled back; one that fails takes those behind it along, which are
 * asked again.
 */
export async function findVisibleRows(client: pg.ClientBase, checks: RlsCheck[]): Promise<RlsResult[]> {
  const checked: RlsResult[] = []
  let remaining = checks
  while (remaining.length > 0) {
    const begin = client.query(
      `begin; set local statement_timeout = '${policyTimeout}'; set local search_path = public, extensions`,
    )
    const running = remaining.map((check) => runCheck(client, check))
    const settled = Promise.allSettled(running)
    const end = client.query('rollback')
    // All are on the wire before the first is awaited; whichever fails, every promise is looked at.
    const [, results] = await Promise.all([begin, settled, end])
    const unchecked: RlsCheck[] = []
    const slow = new Map<TableInfo, Error>()
    results.forEach((result, at) => {
      const check = remaining[at]!
      if (result.status === 'fulfilled') checked.push({ check, visible: result.value, error: null })
      else if (codeOf(result.reason) === transactionAborted) unchecked.push(check)
      else {
        checked.push({ check, visible: new Set(), error: result.reason as Error })
        if (codeOf(result.reason) === cancelled) slow.set(check.table, result.reason as Error)
      }
    })
    // Where the first is aborted too, it was not a policy: the transaction itself has failed.
    if (unchecked.length === remaining.length) throw new Error('the transaction has failed')
    // What is too slow for one is so for all: asked one by one they would hold up every other table.
    remaining = unchecked.filter((check) => {
      const error = slow.get(check.table)
      if (error) checked.push({ check, visible: new Set(), error })
      return !error
    })
  }
  return checked
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code
}

async function runCheck(client: pg.ClientBase, { caller, table, rows }: RlsCheck): Promise<Set<number>> {
  const [, seen] = await Promise.all([
    client.query({
      name: 'realtime_select_as',
      text: `select octet_length(concat(
               set_config('request.jwt.claims', $1, true), set_config('request.jwt.claim.sub', $2, true),
               set_config('request.jwt.claim.role', $3, true), set_config('request.headers', '{}', true),
               set_config('realtime.topic', '', true), set_config('role', $3, true)))`,
      values: [caller.claimsJson, caller.claims.sub ?? '', caller.role],
    }),
    client.query<{ n: number }>({
      text: visibilityQuery(table),
      values: [
        rows.map((row) => row.index),
        ...[...table.keys.keys()].map((_, index) => rows.map((row) => row.key[index])),
      ],
    }),
  ])
  return new Set(seen.rows.map((row) => row.n))
}

/** The limit keeps each look-up to itself: joined at once, a table may be read from end to end. */
function visibilityQuery(table: TableInfo): string {
  const keys = [...table.keys]
  const arrays = keys.map((_, index) => `$${index + 2}::text[]`)
  const names = keys.map((_, index) => `k${index}`)
  const equal = keys.map(([name, type], index) => `r.${quoteName(name)} = wanted.k${index}::${type}`)
  return `select wanted.n from unnest($1::int4[], ${arrays.join(', ')}) wanted (n, ${names.join(', ')})
    cross join lateral (select from ${table.sqlName} r where ${equal.join(' and ')} limit 1) visible`
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
