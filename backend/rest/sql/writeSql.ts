import type { PlannedLogic, WritePlan } from '../plan/plan.ts'
import { bodySql } from './bodySql.ts'
import { logicSql } from './logicSql.ts'
import { quote, quoteNamed } from './quote.ts'
import type { Binds } from './Binds.ts'

/** The INSERT, UPDATE or DELETE of a plan, with the columns of the response in RETURNING. */
export function writeSql(plan: WritePlan, binds: Binds): string {
  switch (plan.kind) {
    case 'insert':
    case 'put':
      return insertSql(plan, binds)
    case 'update':
      return updateSql(plan, binds)
    case 'delete':
      return `DELETE FROM ${quoteNamed(plan.table)}${whereSql(quoteNamed(plan.table), plan.where, binds)} ${returningSql(plan)}`
  }
}

function insertSql(plan: WritePlan, binds: Binds): string {
  const names = plan.columns.map(({ name }) => quote(name))
  const target = `INSERT INTO ${quoteNamed(plan.table)}${names.length > 0 ? `(${names.join(', ')})` : ''}`
  const values = names.map((name) => `pgrst_body.${name}`).join(', ')
  const body = rowsSql(plan, binds)
  const conditions =
    plan.kind === 'put' ? plan.where.map((logic) => conditionSql('pgrst_body', logic, binds)) : []
  if (plan.countsInserted) conditions.unshift(countInsertedSql(1))
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
  return `${target} SELECT ${values} FROM ${body}${where}${conflictSql(plan)} ${returningSql(plan)}`
}

/**
 * Counts inserted rows in a setting of the transaction: up for each row, down for each that becomes an update. Always
 * true. (`xmax` would need the SELECT privilege, and views have none.)
 */
function countInsertedSql(step: 1 | -1): string {
  const counted = `(coalesce(nullif(current_setting('pgrst.inserted', true), ''), '0')::int + ${step})::text`
  return `set_config('pgrst.inserted', ${counted}, true) IS NOT NULL`
}

function conflictSql({ conflict, columns, countsInserted }: WritePlan): string {
  if (!conflict) return ''
  const target = ` ON CONFLICT(${conflict.columns.map(quote).join(', ')})`
  if (conflict.resolution === 'ignore-duplicates' || columns.length === 0) return `${target} DO NOTHING`
  const settings = columns.map(({ name }) => `${quote(name)} = EXCLUDED.${quote(name)}`)
  const counted = countsInserted ? ` WHERE ${countInsertedSql(-1)}` : ''
  return `${target} DO UPDATE SET ${settings.join(', ')}${counted}`
}

function updateSql(plan: WritePlan, binds: Binds): string {
  const table = quoteNamed(plan.table)
  // Without a column to set there is no UPDATE, but the response still needs its columns.
  if (plan.columns.length === 0) {
    const columns = plan.returning.length > 0 ? plan.returning.map((name) => columnSql(table, name)) : ['1']
    return `SELECT ${columns.join(', ')} FROM ${table} WHERE false`
  }
  const settings = plan.columns.map(({ name }) => `${quote(name)} = pgrst_body.${quote(name)}`)
  const body = rowsSql(plan, binds)
  const where = whereSql(table, plan.where, binds)
  return `UPDATE ${table} SET ${settings.join(', ')} FROM ${body}${where} ${returningSql(plan)}`
}

/** The body's rows, as `pgrst_body`. */
function rowsSql({ columns, bodyIsObject, usesDefaults }: WritePlan, binds: Binds): string {
  const defaults = usesDefaults ? columns : null
  return bodySql({ columns, isObject: bodyIsObject, defaults, isSingle: false }, binds)
}

function whereSql(row: string, where: PlannedLogic[], binds: Binds): string {
  if (where.length === 0) return ''
  return ` WHERE ${where.map((logic) => conditionSql(row, logic, binds)).join(' AND ')}`
}

function conditionSql(row: string, logic: PlannedLogic, binds: Binds): string {
  return logicSql(row, logic, binds, () => {
    throw new Error('a write has no embeds')
  })
}

function returningSql({ table, returning }: WritePlan): string {
  if (returning.length === 0) return 'RETURNING 1'
  return `RETURNING ${returning.map((name) => columnSql(quoteNamed(table), name)).join(', ')}`
}

function columnSql(row: string, name: string): string {
  return name === '*' ? `${row}.*` : `${row}.${quote(name)}`
}
