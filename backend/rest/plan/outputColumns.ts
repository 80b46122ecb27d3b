import { isToOne } from '../schemaCache/schemaCache.ts'
import type { PlannedAggregate, ReadNode } from './plan.ts'

/** A column that a node passes to its parent. */
export interface OutputColumn {
  /** The name in the node's rows. */
  name: string
  /** The aggregate that the parent has to apply; null if none. */
  aggregate: PlannedAggregate | null
  /** JSON of an embed or a representation, which can't be grouped by. */
  isJson: boolean
}

/**
 * Whether the parent applies the node's aggregates: for a to-one spread each parent has at most one row of it, and the
 * aggregates cover the rows of many parents.
 */
export function passesAggregatesToParent({ attachment }: ReadNode): boolean {
  return attachment !== null && attachment.isSpread && isToOne(attachment.relationship)
}

/** Whether a node's rows are grouped: it has aggregates of its own or of its spread embeds. */
export function isGrouped(node: ReadNode): boolean {
  return !passesAggregatesToParent(node) && hasAggregates(node)
}

function hasAggregates(node: ReadNode): boolean {
  return (
    node.fields.some(({ aggregate }) => aggregate !== null) ||
    node.embeds.some((embed) => passesAggregatesToParent(embed) && hasAggregates(embed))
  )
}

/** Whether an embed only joins and selects nothing: `clients!inner()`. */
export function selectsNothing(node: ReadNode): boolean {
  return node.fields.length === 0 && node.embeds.every(selectsNothing)
}

/** The columns that a node passes to its parent, in order. */
export function outputColumns(node: ReadNode): OutputColumn[] {
  const passesAggregates = passesAggregatesToParent(node)
  const own = node.fields.map(({ field, format, alias, aggregate }) => ({
    name: alias ?? field.name,
    aggregate: passesAggregates ? aggregate : null,
    isJson: format !== null,
  }))
  const embedded = node.embeds.flatMap((embed) => {
    if (selectsNothing(embed)) return []
    const { isSpread, name } = embed.attachment!
    return isSpread ? spreadColumns(embed) : [{ name, aggregate: null, isJson: true }]
  })
  return [...own, ...embedded.map((output) => (passesAggregates ? output : afterAggregation(output)))]
}

/** The columns that a spread embed adds to its parent's row; for to-many, each is a list. */
export function spreadColumns(embed: ReadNode): OutputColumn[] {
  const outputs = outputColumns(embed)
  return passesAggregatesToParent(embed)
    ? outputs
    : outputs.map(({ name }) => ({ name, aggregate: null, isJson: true }))
}

/** The column after its aggregate was applied, with the requested name. */
function afterAggregation({ name, aggregate, isJson }: OutputColumn): OutputColumn {
  return { name: aggregate?.alias ?? name, aggregate: null, isJson }
}
