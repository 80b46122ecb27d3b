import { randomUUID } from 'node:crypto'
import type { CallPlan, WritePlan } from '../plan/plan.ts'
import { literal } from './quote.ts'
import { SOURCE } from './readSql.ts'

/** Checks of row counts: PUT writes one row, one row is returned, not too many rows are affected. */
export type Guard = 'put' | 'single' | 'affected'

/**
 * Prefix of a guard's error message, followed by its name and the number of rows. Random, so that no value in a request
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
