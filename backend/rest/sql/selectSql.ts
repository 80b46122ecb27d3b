import { passesAggregatesToParent, isGrouped, selectsNothing, spreadColumns } from '../plan/outputColumns.ts'
import type { OutputColumn } from '../plan/outputColumns.ts'
import type { PlannedAggregate, PlannedSelect, ReadNode } from '../plan/plan.ts'
import { isToOne } from '../schemaCache/schemaCache.ts'
import type { Binds } from './Binds.ts'
import { fieldSql } from './logicSql.ts'
import { quote, quoteNamed } from './quote.ts'

/** Alias of the rows of a write or a call. */
export const SOURCE = 'pgrst_source'

/** The list of a to-many embed; if it is not returned as a list, a value that is null if there are no rows. */
export const LIST = 'pgrst_list'

interface Selected {
  sql: string
  isAggregate: boolean
  /** The column to group by, if it is not the selected value. */
  column?: string
}

/** The select list of a node, and its GROUP BY; empty without aggregates. */
export function selectSql(node: ReadNode, binds: Binds): { list: string; groupBy: string } {
  const selected = [
    ...node.fields.map((field) => ownSql(node, field, binds)),
    ...node.embeds.flatMap((embed) => embedSql(node, embed)),
  ]
  if (node.fields.length === 0 && node.embeds.length === 0) {
    selected.push({ sql: `${quote(node.alias)}.*`, isAggregate: false })
  }
  const list = selected.map(({ sql }) => sql).join(', ')
  return { list, groupBy: isGrouped(node) ? groupBySql(selected) : '' }
}

/** By position: a repeated expression would have other parameters, and PostgreSQL would not treat it as the same. */
function groupBySql(selected: Selected[]): string {
  const terms = selected.flatMap(({ isAggregate, column }, at) => (isAggregate ? [] : [column ?? at + 1]))
  return terms.length === 0 ? '' : `GROUP BY ${terms.join(', ')}`
}

function ownSql(node: ReadNode, selected: PlannedSelect, binds: Binds): Selected {
  const { field, format, cast, aggregate, alias } = selected
  const plain = aggregate && field.name === '*' ? '1' : fieldSql(quote(node.alias), field, binds)
  const value = castSql(format ? comparable(node, `${quoteNamed(format)}(${plain})`) : plain, cast)
  if (aggregate && !passesAggregatesToParent(node))
    return { sql: aggregateSql(value, aggregate), isAggregate: true }
  const item = { sql: `${value}${asSql(alias)}`, isAggregate: false }
  // A column with its own name is grouped before the cast, so that it can also be ordered by.
  const isColumn = field.path.length === 0 && (alias === null || alias === field.name)
  return isColumn ? { ...item, column: plain } : item
}

/** The select items of an embed in its parent. */
function embedSql(node: ReadNode, embed: ReadNode): Selected[] {
  if (selectsNothing(embed)) return []
  const { relationship, isSpread, name, rows } = embed.attachment!
  const row = quote(rows)
  if (isSpread) return spreadColumns(embed).map((output) => spreadSql(node, embed, output))
  const json = isToOne(relationship) ? `row_to_json(${row}.*)` : `COALESCE(${row}.${LIST}, '[]')`
  return [{ sql: `${comparable(node, json)}${asSql(name)}`, isAggregate: false }]
}

function spreadSql(node: ReadNode, embed: ReadNode, { name, aggregate, isJson }: OutputColumn): Selected {
  const column = `${quote(embed.attachment!.rows)}.${quote(name)}`
  if (aggregate && !passesAggregatesToParent(node))
    return { sql: aggregateSql(column, aggregate), isAggregate: true }
  const value = isJson ? comparable(node, column) : column
  return { sql: `${value}${asSql(name)}`, isAggregate: false }
}

/** jsonb can be grouped by, json can't. */
function comparable(node: ReadNode, json: string): string {
  return isGrouped(node) ? `${json}::jsonb` : json
}

function aggregateSql(value: string, { name, cast, alias }: PlannedAggregate): string {
  return `${castSql(`${name.toUpperCase()}(${value})`, cast)}${asSql(alias)}`
}

/** The type was parsed as an identifier; quoting would change the meaning of `int`. */
function castSql(value: string, cast: string | null): string {
  return cast === null ? value : `CAST(${value} AS ${cast})`
}

function asSql(alias: string | null): string {
  return alias === null ? '' : ` AS ${quote(alias)}`
}
