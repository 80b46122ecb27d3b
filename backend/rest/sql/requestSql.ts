import type { Explain } from '../parse/parseMedia.ts'
import type { CallPlan, Plan, WritePlan } from '../plan/plan.ts'
import { Binds } from './Binds.ts'
import type { Bind } from './Binds.ts'
import { callSql } from './callSql.ts'
import { ROWS, contentSql, isOfValue, valueSql } from './contentSql.ts'
import { countSql } from './countSql.ts'
import { guardSql } from './guardSql.ts'
import { quote } from './quote.ts'
import { SOURCE, readSql } from './readSql.ts'
import { writeSql } from './writeSql.ts'

export interface Statement {
  text: string
  binds: Bind[]
}

/**
 * The statements of a request. `main` answers with one row: total, rows, content, response headers and status,
 * location, inserted, all as text; or with the lines of its plan, where that is asked for. `guess` answers
 * with the planner's guess at the total, as EXPLAIN has it.
 */
export interface RequestSql {
  main: Statement
  guess: Statement | null
}

/**
 * Writes the SQL of a plan. The answer's JSON is made by PostgreSQL: here it is text to be passed on.
 * @param o.mayGuess whether `count=planned` and `count=estimated` may answer with the planner's guess, else
 *   they count
 */
export function requestSql(plan: Plan, o: { maxRows: number | null; mayGuess: boolean }): RequestSql {
  const binds = new Binds()
  const maxRows = o.mayGuess ? o.maxRows : null
  const text =
    plan.kind === 'read'
      ? readText(plan, binds, maxRows)
      : plan.kind === 'call'
        ? callText(plan, binds, maxRows)
        : writeText(plan, binds)
  const { explain } = plan.output
  if (explain) return { main: { text: `${explainWords(explain)} ${text}`, binds: binds.list }, guess: null }
  return { main: { text, binds: binds.list }, guess: o.mayGuess ? guessSql(plan) : null }
}

function readText(plan: Extract<Plan, { kind: 'read' }>, binds: Binds, maxRows: number | null): string {
  return `SELECT ${[
    totalSql(plan, binds, maxRows),
    'count(*)',
    contentSql(plan.output, null),
    ...settingsSql(),
    'NULL',
    'NULL',
  ].join(', ')} FROM (${readSql(plan.root, binds)}) AS ${ROWS}`
}

function writeText(plan: WritePlan, binds: Binds): string {
  const write = writeSql(plan, binds)
  const hasBody = plan.output.rendering.kind !== 'none'
  const select = hasBody ? readSql(plan.root, binds) : `SELECT * FROM ${SOURCE}`
  const columns = [
    'NULL',
    'count(*)',
    contentSql(plan.output, null),
    ...settingsSql(),
    plan.wantsLocation ? locationSql(plan.primaryKey) : 'NULL',
    plan.countsInserted ? `nullif(current_setting('pgrst.inserted', true), '')` : 'NULL',
    ...guardSql(plan),
  ]
  return `WITH ${SOURCE} AS (${write}) SELECT ${columns.join(', ')} FROM (${select}) AS ${ROWS}`
}

function callText(plan: CallPlan, binds: Binds, maxRows: number | null): string {
  const call = callSql(plan, binds)
  if (answersOneValue(plan)) {
    // OFFSET 0 keeps the call where it is: below the settings, which it may write.
    const columns = ['NULL', '1', valueSql(plan.output, plan.routine), ...settingsSql(), 'NULL', 'NULL']
    return `SELECT ${columns.join(', ')} FROM (${call} OFFSET 0) AS ${ROWS}`
  }
  const select = readSql(plan.root, binds)
  const columns = [
    totalSql(plan, binds, maxRows),
    'count(*)',
    contentSql(plan.output, plan.routine),
    ...settingsSql(),
    'NULL',
    'NULL',
    ...guardSql(plan),
  ]
  return `WITH ${SOURCE} AS (${call}) SELECT ${columns.join(', ')} FROM (${select}) AS ${ROWS}`
}

/**
 * Whether a call is sure to give one row that nothing is asked of: most are commands of this kind, and
 * without a list to make of it they take half the time.
 */
function answersOneValue({ routine, root, output, preferences, arguments: given }: CallPlan): boolean {
  return (
    !routine.isComposite &&
    !routine.isSet &&
    root.where.length + root.order.length + root.embeds.length === 0 &&
    root.fields.length === 1 &&
    root.fields[0]!.field.name === '*' &&
    (root.range === null || (root.range.offset === 0 && root.range.limit !== 0)) &&
    isOfValue(output.rendering) &&
    preferences.count === null &&
    (given.kind !== 'json' || given.isObject)
  )
}

/** A function or trigger may set status and headers of the answer. */
function settingsSql(): string[] {
  return ['response.headers', 'response.status'].map((name) => `nullif(current_setting('${name}', true), '')`)
}

/**
 * Without a limit the rows that are answered are all there are. `count=estimated` counts up to one row past the
 * limit, to learn whether the planner's guess is needed. Null for `maxRows` is no limit, where nothing may be
 * guessed.
 */
function totalSql(plan: Plan, binds: Binds, maxRows: number | null): string {
  const { count } = plan.preferences
  if (count === null || (count === 'planned' && maxRows !== null)) return 'NULL'
  if (plan.root.range === null) return 'count(*)'
  const limit = count === 'estimated' && maxRows !== null ? ` LIMIT ${maxRows + 1}` : ''
  return `(SELECT count(*) FROM (${countSql(plan.root, binds)}${limit}) AS pgrst_total)`
}

function explainWords({ format, options }: Explain): string {
  return `EXPLAIN (${[`FORMAT ${format}`, ...options].join(', ').toUpperCase()})`
}

function guessSql(plan: Plan): Statement | null {
  const { count } = plan.preferences
  if (plan.kind !== 'read' || (count !== 'planned' && count !== 'estimated')) return null
  const binds = new Binds()
  return { text: `EXPLAIN (FORMAT JSON) ${countSql(plan.root, binds)}`, binds: binds.list }
}

/** The key of a single new row, its values as JSON would write them; null for none or several. */
function locationSql(primaryKey: string[]): string {
  const key = primaryKey.map(quote).join(', ')
  return (
    `CASE WHEN count(*) = 1 THEN (SELECT json_object_agg(pair.key, pair.value) FROM json_each_text(` +
    `(SELECT row_to_json(pgrst_key) FROM (SELECT ${key} FROM ${SOURCE} LIMIT 1) AS pgrst_key)) AS pair) END`
  )
}
