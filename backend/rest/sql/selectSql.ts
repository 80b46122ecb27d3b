import { handsUp, isGrouped, isSilent, spreadOutputs } from '../plan/outputsOf.ts'
import type { OutputColumn } from '../plan/outputsOf.ts'
import type { PlannedAggregate, PlannedSelect, ReadNode } from '../plan/plan.ts'
import { isToOne } from '../schemaCache/schemaCache.ts'
import type { Binds } from './Binds.ts'
import { fieldSql } from './logicSql.ts'
import { quote, quoteNamed } from './quote.ts'

/** The list of an embed to many; of one that isn't told as a list, something that is null where there is no row. */
export const LIST = 'pgrst_list'

interface Selected {
  sql: string
  isAggregate: boolean
  /** The column to group by, where it isn't the value as it is told. */
  column?: string
}

/** The select list of a node, and the GROUP BY that its aggregates ask for; empty where none does. */
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

/** By place: a repeated expression would have parameters of its own, and PostgreSQL could not tell it is the same. */
function groupBySql(selected: Selected[]): string {
  const terms = selected.flatMap(({ isAggregate, column }, at) => (isAggregate ? [] : [column ?? at + 1]))
  return terms.length === 0 ? '' : `GROUP BY ${terms.join(', ')}`
}

function ownSql(node: ReadNode, selected: PlannedSelect, binds: Binds): Selected {
  const { field, format, cast, aggregate, alias } = selected
  const plain = aggregate && field.name === '*' ? '1' : fieldSql(quote(node.alias), field, binds)
  const value = castSql(format ? comparable(node, `${quoteNamed(format)}(${plain})`) : plain, cast)
  if (aggregate && !handsUp(node)) return { sql: aggregateSql(value, aggregate), isAggregate: true }
  const told = { sql: `${value}${asSql(alias)}`, isAggregate: false }
  // A column under its own name is grouped by before it is cast, so that it can be ordered by, too.
  const isColumn = field.path.length === 0 && (alias === null || alias === field.name)
  return isColumn ? { ...told, column: plain } : told
}

/** What stands for an embed in its parent's list. */
function embedSql(node: ReadNode, embed: ReadNode): Selected[] {
  if (isSilent(embed)) return []
  const { relationship, isSpread, name, rows } = embed.attachment!
  const row = quote(rows)
  if (isSpread) return spreadOutputs(embed).map((output) => spreadSql(node, embed, output))
  const json = isToOne(relationship) ? `row_to_json(${row}.*)` : `COALESCE(${row}.${LIST}, '[]')`
  return [{ sql: `${comparable(node, json)}${asSql(name)}`, isAggregate: false }]
}

function spreadSql(node: ReadNode, embed: ReadNode, { name, aggregate, isJson }: OutputColumn): Selected {
  const column = `${quote(embed.attachment!.rows)}.${quote(name)}`
  if (aggregate && !handsUp(node)) return { sql: aggregateSql(column, aggregate), isAggregate: true }
  const value = isJson ? comparable(node, column) : column
  return { sql: `${value}${asSql(name)}`, isAggregate: false }
}

/** Only jsonb can be grouped by. */
function comparable(node: ReadNode, json: string): string {
  return isGrouped(node) ? `${json}::jsonb` : json
}

function aggregateSql(value: string, { name, cast, alias }: PlannedAggregate): string {
  return `${castSql(`${name.toUpperCase()}(${value})`, cast)}${asSql(alias)}`
}

/** The type's name was parsed as one: quoting it would turn `int` into another. */
function castSql(value: string, cast: string | null): string {
  return cast === null ? value : `CAST(${value} AS ${cast})`
}

function asSql(alias: string | null): string {
  return alias === null ? '' : ` AS ${quote(alias)}`
}
