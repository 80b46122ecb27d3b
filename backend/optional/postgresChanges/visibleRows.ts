import type pg from 'pg'
import type { Caller } from '../../../wire/claims.ts'
import type { TableInfo } from './tableInfo.ts'

/** A check which of these rows the caller can select now. Keys are in the order of `table.keys`. */
export interface RlsCheck {
  caller: Caller
  table: TableInfo
  rows: { index: number; key: string[] }[]
}

/** The visible rows, by index; none if a policy raised an error. */
export interface RlsResult {
  check: RlsCheck
  visible: Set<number>
  error: Error | null
}

/** A slower policy counts as denial, so that it cannot delay others for long. */
const policyTimeout = '2s'
const cancelled = '57014'
const transactionAborted = '25P02'

/**
 * Checks the policies of tables for each caller: a caller receives a row if it can select it. All checks share a
 * transaction, which is rolled back; if one fails, those after it are run again.
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
    // All are sent before the first is awaited; every promise is handled, whichever fails.
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
    // If even the first was aborted, the transaction itself has failed, not a policy.
    if (unchecked.length === remaining.length) throw new Error('the transaction has failed')
    // A policy that is too slow for one caller counts as too slow for all, so that it delays other tables only once.
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

/** The limit forces one index lookup per row: as a plain join, the table might be read sequentially. */
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
