import type { Explain } from '../parse/parseMedia.ts'
import type { CallPlan, Plan, WritePlan } from '../plan/plan.ts'
import { Binds } from './Binds.ts'
import type { Bind } from './Binds.ts'
import { callSql } from './callSql.ts'
import { ROWS, contentSql, canRenderValue, valueSql } from './contentSql.ts'
import { countSql } from './countSql.ts'
import { guardSql } from './guardSql.ts'
import { quote } from './quote.ts'
import { readSql, rowsSql } from './readSql.ts'
import { SOURCE } from './selectSql.ts'
import { writeSql } from './writeSql.ts'

export interface Statement {
  text: string
  binds: Bind[]
}

/**
 * The statements of a request. `main` returns one row, all as text: total, rows, content, response headers and
 * status, location, inserted. If the request asks for its plan, it returns the lines of the plan. `estimate` returns
 * the planner's estimate of the total.
 */
export interface RequestSql {
  main: Statement
  estimate: Statement | null
}

/**
 * Generates the SQL of a plan. PostgreSQL generates the JSON of the response.
 * @param o.canEstimate whether `count=planned` and `count=estimated` can use the planner's estimate; otherwise they
 * count
 */
export function requestSql(plan: Plan, o: { maxRows: number | null; canEstimate: boolean }): RequestSql {
  const binds = new Binds()
  const maxRows = o.canEstimate ? o.maxRows : null
  const text =
    plan.kind === 'read'
      ? readText(plan, binds, maxRows)
      : plan.kind === 'call'
        ? callText(plan, binds, maxRows)
        : writeText(plan, binds)
  const { explain } = plan.output
  if (explain)
    return { main: { text: `${explainClause(explain)} ${text}`, binds: binds.list }, estimate: null }
  return { main: { text, binds: binds.list }, estimate: o.canEstimate ? estimateSql(plan) : null }
}

function readText(plan: Extract<Plan, { kind: 'read' }>, binds: Binds, maxRows: number | null): string {
  return `SELECT ${[
    totalSql(plan, binds, maxRows),
    'count(*)',
    contentSql(plan.output, null),
    ...settingsSql(),
    'NULL',
    'NULL',
  ].join(', ')} FROM ${rowsSql(plan.root, readSql(plan.root, binds), ROWS)}`
}

function writeText(plan: WritePlan, binds: Binds): string {
  const write = writeSql(plan, binds)
  const hasBody = plan.output.rendering.kind !== 'none'
  const rows = hasBody
    ? rowsSql(plan.root, readSql(plan.root, binds), ROWS)
    : `(SELECT * FROM ${SOURCE}) AS ${ROWS}`
  const columns = [
    'NULL',
    'count(*)',
    contentSql(plan.output, null),
    ...settingsSql(),
    plan.wantsLocation ? locationSql(plan.primaryKey) : 'NULL',
    plan.countsInserted ? `nullif(current_setting('pgrst.inserted', true), '')` : 'NULL',
    ...guardSql(plan),
  ]
  return `WITH ${SOURCE} AS (${write}) SELECT ${columns.join(', ')} FROM ${rows}`
}

function callText(plan: CallPlan, binds: Binds, maxRows: number | null): string {
  const call = callSql(plan, binds)
  if (returnsOneValue(plan)) {
    // OFFSET 0 prevents flattening, so that the call runs before the settings are read, which it may change.
    const columns = ['NULL', '1', valueSql(plan.output, plan.routine), ...settingsSql(), 'NULL', 'NULL']
    return `SELECT ${columns.join(', ')} FROM (${call} OFFSET 0) AS ${ROWS}`
  }
  const rows = rowsSql(plan.root, readSql(plan.root, binds), ROWS)
  const columns = [
    totalSql(plan, binds, maxRows),
    'count(*)',
    contentSql(plan.output, plan.routine),
    ...settingsSql(),
    'NULL',
    'NULL',
    ...guardSql(plan),
  ]
  return `WITH ${SOURCE} AS (${call}) SELECT ${columns.join(', ')} FROM ${rows}`
}

/**
 * Whether a call returns exactly one row without filters or embeds. Most calls do. Without an aggregate they take
 * half the time.
 */
function returnsOneValue({ routine, root, output, preferences, arguments: given }: CallPlan): boolean {
  return (
    !routine.isComposite &&
    !routine.isSet &&
    root.where.length + root.order.length + root.embeds.length === 0 &&
    root.fields.length === 1 &&
    root.fields[0]!.field.name === '*' &&
    (root.range === null || (root.range.offset === 0 && root.range.limit !== 0)) &&
    canRenderValue(output.rendering) &&
    preferences.count === null &&
    (given.kind !== 'json' || given.isObject)
  )
}

/** Renders the columns for the response status and headers, which a function or trigger may set. */
function settingsSql(): string[] {
  return ['response.headers', 'response.status'].map((name) => `nullif(current_setting('${name}', true), '')`)
}

/**
 * Renders the column for the total. Without a limit the returned rows are all rows. `count=estimated` counts up to
 * one row past the limit, to find out whether it needs the planner's estimate. `maxRows` is null if estimates are not
 * allowed.
 */
function totalSql(plan: Plan, binds: Binds, maxRows: number | null): string {
  const { count } = plan.preferences
  if (count === null || (count === 'planned' && maxRows !== null)) return 'NULL'
  if (plan.root.range === null) return 'count(*)'
  const limit = count === 'estimated' && maxRows !== null ? ` LIMIT ${maxRows + 1}` : ''
  return `(SELECT count(*) FROM (${countSql(plan.root, binds)}${limit}) AS pgrst_total)`
}

function explainClause({ format, options }: Explain): string {
  return `EXPLAIN (${[`FORMAT ${format}`, ...options].join(', ').toUpperCase()})`
}

function estimateSql(plan: Plan): Statement | null {
  const { count } = plan.preferences
  if (plan.kind !== 'read' || (count !== 'planned' && count !== 'estimated')) return null
  const binds = new Binds()
  return { text: `EXPLAIN (FORMAT JSON) ${countSql(plan.root, binds)}`, binds: binds.list }
}

/** Renders the key of a single new row as JSON text; null for none or several rows. */
function locationSql(primaryKey: string[]): string {
  const key = primaryKey.map(quote).join(', ')
  return (
    `CASE WHEN count(*) = 1 THEN (SELECT json_object_agg(pair.key, pair.value) FROM json_each_text(` +
    `(SELECT row_to_json(pgrst_key) FROM (SELECT ${key} FROM ${SOURCE} LIMIT 1) AS pgrst_key)) AS pair) END`
  )
}
