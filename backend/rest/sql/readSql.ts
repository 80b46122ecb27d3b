import { selectsNothing, outputColumns } from '../plan/outputColumns.ts'
import type { Attachment, EmbedFilter, PlannedOrder, ReadNode } from '../plan/plan.ts'
import { isToOne } from '../schemaCache/schemaCache.ts'
import type { ColumnPairs } from '../schemaCache/schemaCache.ts'
import { limitBytesSql } from './guardSql.ts'
import { fieldSql, logicSql } from './logicSql.ts'
import { quote, quoteNamed } from './quote.ts'
import { LIST, selectSql, SOURCE } from './selectSql.ts'
import type { Binds } from './Binds.ts'

/** The SELECT of a node with lateral joins of its embeds. `parent` is the node that embeds it. */
export function readSql(node: ReadNode, binds: Binds, parent: ReadNode | null = null): string {
  const { list, groupBy } = selectSql(node, binds)
  const joins = node.embeds.map((embed) => joinSql(embed, node, binds))
  if (node.limitedColumns) {
    const row = quote(node.alias)
    const columns = node.limitedColumns.map((name) => (name === '*' ? `${row}.*` : `${row}.${quote(name)}`))
    const limited = [
      `SELECT ${columns.join(', ')} FROM ${fromSql(node, parent)}`,
      ...whereSql(node, parent, binds),
      ...orderBySql(node, binds),
      ...rangeSql(node),
    ].join(' ')
    // Ordered again: a join does not have to keep the order of its rows.
    return [`SELECT ${list} FROM (${limited}) AS ${row}`, ...joins, ...orderBySql(node, binds)].join(' ')
  }
  return [
    `SELECT ${list}`,
    `FROM ${fromSql(node, parent)}`,
    ...joins,
    ...whereSql(node, parent, binds),
    ...(groupBy === '' ? [] : [groupBy]),
    ...orderBySql(node, binds),
    ...rangeSql(node),
  ].join(' ')
}

function whereSql(node: ReadNode, parent: ReadNode | null, binds: Binds): string[] {
  const conditions = [
    ...node.where.map((logic) => logicSql(quote(node.alias), logic, binds, embedTest)),
    ...parentConditions(node, parent),
  ]
  return conditions.length > 0 ? [`WHERE ${conditions.join(' AND ')}`] : []
}

function orderBySql(node: ReadNode, binds: Binds): string[] {
  const order = node.order.map((term) => orderSql(quote(node.alias), term, binds))
  return order.length > 0 ? [`ORDER BY ${order.join(', ')}`] : []
}

/** The FROM item with the rows of `select`, and a WHERE clause if their size is limited. */
export function rowsSql({ byteLimit }: ReadNode, select: string, rows: string): string {
  return `(${select}) AS ${rows}${byteLimit ? ` WHERE ${limitBytesSql(rows, byteLimit)}` : ''}`
}

function embedTest({ hasRows, embed }: EmbedFilter): string {
  const { rows, relationship } = embed.attachment!
  // DISTINCT FROM, as a row of nulls IS NULL too.
  if (isToOne(relationship)) return `${quote(rows)} IS ${hasRows ? '' : 'NOT '}DISTINCT FROM NULL`
  return `${quote(rows)}.${LIST} IS ${hasRows ? 'NOT ' : ''}NULL`
}

/** Limits are part of the text, so that the planner knows them; they are numbers. */
function rangeSql({ range }: ReadNode): string[] {
  if (!range) return []
  return [
    ...(range.limit === null ? [] : [`LIMIT ${Math.trunc(range.limit)}`]),
    ...(range.offset === 0 ? [] : [`OFFSET ${Math.trunc(range.offset)}`]),
  ]
}

function orderSql(row: string, { embed, field, direction, nulls }: PlannedOrder, binds: Binds): string {
  const value = fieldSql(embed ? quote(embed.attachment!.rows) : row, field, binds)
  const parts = [value]
  if (direction) parts.push(direction.toUpperCase())
  if (nulls) parts.push(`NULLS ${nulls.toUpperCase()}`)
  return parts.join(' ')
}

/** The FROM item of a node; for many-to-many with the junction table. */
export function fromSql(node: ReadNode, parent: ReadNode | null): string {
  const row = quote(node.alias)
  const attachment = node.attachment
  if (attachment?.relationship.kind === 'computed') {
    const { routine, table } = attachment.relationship
    // Cast, since the row of a write or call does not have the table's type.
    return `${quoteNamed(routine)}(${quote(parent!.alias)}::${quoteNamed(table)}) AS ${row}`
  }
  const from = `${node.from ? quoteNamed(node.from) : SOURCE} AS ${row}`
  if (attachment?.relationship.kind !== 'many-to-many') return from
  const junction = quote(attachment.junction!)
  const { relationship } = attachment
  const condition = pairsSql(row, junction, relationship.foreignColumns).join(' AND ')
  return `${from} INNER JOIN ${quoteNamed(relationship.junction)} AS ${junction} ON ${condition}`
}

/** The join conditions of an embed with its parent. */
export function parentConditions(node: ReadNode, parent: ReadNode | null): string[] {
  if (!parent || !node.attachment || node.attachment.relationship.kind === 'computed') return []
  const { relationship, junction } = node.attachment
  return pairsSql(quote(parent.alias), quote(junction ?? node.alias), relationship.columns)
}

function pairsSql(ours: string, theirs: string, columns: ColumnPairs): string[] {
  return columns.map(([our, their]) => `${theirs}.${quote(their)} = ${ours}.${quote(our)}`)
}

function joinSql(node: ReadNode, parent: ReadNode, binds: Binds): string {
  const attachment = node.attachment!
  const rows = quote(attachment.rows)
  const kind = attachment.isInner ? 'INNER' : 'LEFT'
  const select = readSql(node, binds, parent)
  if (isToOne(attachment.relationship)) return `${kind} JOIN LATERAL (${select}) AS ${rows} ON TRUE`
  // Only its existence is needed.
  if (selectsNothing(node)) {
    return `${kind} JOIN LATERAL (SELECT TRUE AS ${LIST} FROM (${select}) AS ${rows} LIMIT 1) AS ${rows} ON TRUE`
  }
  const lists = listsSql(node, attachment, rows)
  const condition = attachment.isInner ? `${rows}.${LIST} IS NOT NULL` : 'TRUE'
  return `${kind} JOIN LATERAL (SELECT ${lists.join(', ')} FROM ${rowsSql(node, select, rows)}) AS ${rows} ON ${condition}`
}

/** A to-many embed becomes a list of rows, or a list for each column if spread. Null if there are no rows. */
function listsSql(node: ReadNode, { isSpread }: Attachment, rows: string): string[] {
  if (!isSpread) return [`json_agg(${rows}.*) AS ${LIST}`]
  const columns = outputColumns(node).map(
    ({ name }) => `COALESCE(json_agg(${rows}.${quote(name)}), '[]') AS ${quote(name)}`,
  )
  return [`nullif(count(*), 0) AS ${LIST}`, ...columns]
}
