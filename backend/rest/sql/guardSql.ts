import { randomUUID } from 'node:crypto'
import type { CallPlan, WritePlan } from '../plan/plan.ts'
import { literal } from './quote.ts'
import { SOURCE } from './readSql.ts'

/** What a guard watches over: that PUT writes its one row, that one row is answered, that not too many were touched. */
export type Guard = 'put' | 'single' | 'affected'

/**
 * What a guard writes before its name and the number of rows when a write must not stand. Nobody outside can know
 * it: a value that reads like it would be taken for the guard's word when PostgreSQL refuses it.
 */
export const GUARD_WORD = `pgrst_rows_${randomUUID()}=`

/** The rows of the answer. */
const ANSWERED = 'count(*)'
/** The rows that were written, or that the function gave: of them, `select` may leave or make another number. */
const TOUCHED = `(SELECT count(*) FROM ${SOURCE})`

/**
 * Columns that fail the statement, and with it the transaction that is already on its way to COMMIT, when there is
 * another number of rows than the request allows: the number can't be read before, nor undone after.
 */
export function guardSql(plan: WritePlan | CallPlan): string[] {
  if (plan.kind === 'call' && !plan.routine.isSet) return []
  const guards: string[] = []
  if (plan.kind === 'put') guards.push(failUnless('put', ANSWERED, '= 1'), failUnless('put', TOUCHED, '= 1'))
  else if (plan.output.isSingular) guards.push(failUnless('single', ANSWERED, '= 1'))
  const { maxAffected, handling } = plan.preferences
  const isLimited = plan.kind === 'update' || plan.kind === 'delete' || plan.kind === 'call'
  if (isLimited && maxAffected !== null && handling === 'strict') {
    guards.push(failUnless('affected', TOUCHED, `<= ${Math.trunc(maxAffected)}`))
  }
  return guards
}

function failUnless(guard: Guard, rows: string, allowed: string): string {
  return `CASE WHEN ${rows} ${allowed} THEN NULL ELSE (${literal(`${GUARD_WORD}${guard} `)} || ${rows})::int END`
}
