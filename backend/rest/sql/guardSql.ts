import { SOURCE } from './selectSql.ts'
import { randomUUID } from 'node:crypto'
import type { ByteLimit, CallPlan, WritePlan } from '../plan/plan.ts'
import { literal } from './quote.ts'

/** Checks of row counts: PUT writes one row, one row is returned, not too many are affected; and of the rows' size. */
export type Guard = 'put' | 'single' | 'affected' | 'large'

/**
 * Prefix of a guard's error message, followed by its name and a number. Random, so that no value in a request
 * can imitate it.
 */
export const GUARD_PREFIX = `pgrst_rows_${randomUUID()}=`

/** Number of returned rows. */
const RETURNED = 'count(*)'
/** Number of rows that were written or that the function returned; `select` may change the number of returned rows. */
const AFFECTED = `(SELECT count(*) FROM ${SOURCE})`

/**
 * Columns that make the statement fail, and with it the transaction, if the number of rows is not allowed: COMMIT is sent
 * together with the statement, so its result can't be checked before.
 */
export function guardSql(plan: WritePlan | CallPlan): string[] {
  if (plan.kind === 'call' && !plan.routine.isSet) return []
  const guards: string[] = []
  if (plan.kind === 'put') guards.push(failUnless('put', RETURNED, '= 1'), failUnless('put', AFFECTED, '= 1'))
  else if (plan.output.isSingular) guards.push(failUnless('single', RETURNED, '= 1'))
  const { maxAffected, handling } = plan.preferences
  const isLimited = plan.kind === 'update' || plan.kind === 'delete' || plan.kind === 'call'
  if (isLimited && maxAffected !== null && handling === 'strict') {
    guards.push(failUnless('affected', AFFECTED, `<= ${Math.trunc(maxAffected)}`))
  }
  return guards
}

function failUnless(guard: Guard, rows: string, allowed: string): string {
  return `CASE WHEN ${rows} ${allowed} THEN NULL ELSE (${literal(`${GUARD_PREFIX}${guard} `)} || ${rows})::int END`
}

/** Bytes of the rows so far, until the end of the transaction. */
const BYTES = `current_setting('pgrst.row_bytes', true)`

/** The header of a row in memory. */
const ROW_HEADER_BYTES = 24

/**
 * A condition that adds up the size of rows and ends the statement when it exceeds the limit. PostgreSQL would
 * otherwise build a whole document that is refused afterwards.
 */
export function limitBytesSql(rows: string, { maxBytes, levels }: ByteLimit): string {
  const total = `coalesce(nullif(${BYTES}, ''), '0')::bigint + pg_column_size(${rows}.*) - ${ROW_HEADER_BYTES}`
  const counted = `set_config('pgrst.row_bytes', (${total})::text, true)::bigint`
  // The planner would evaluate a constant.
  const failure = `(${literal(`${GUARD_PREFIX}large ${maxBytes}`)} || left(${BYTES}, 0))::int > 0`
  return `CASE WHEN ${counted} <= ${maxBytes * levels} THEN TRUE ELSE ${failure} END`
}
