import { isToOne } from '../schemaCache/schemaCache.ts'
import type { PlannedAggregate, ReadNode } from './plan.ts'

/** A column that a node gives to the one above it. */
export interface OutputColumn {
  /** What it is called in the node's rows. */
  name: string
  /** What the node above has to do with it; null where nothing is left to do. */
  aggregate: PlannedAggregate | null
  /** JSON made of an embed or of a representation: it has no equality to group by. */
  isJson: boolean
}

/**
 * Whether a node hands its aggregates up: each of its parents has one row of it at most, and what is summed
 * are the rows that hang on many parents. Up to the root, an object or a list.
 */
export function handsUp({ attachment }: ReadNode): boolean {
  return attachment !== null && attachment.isSpread && isToOne(attachment.relationship)
}

/** Whether a node's own rows are grouped: it has aggregates, or they were handed up to it. */
export function isGrouped(node: ReadNode): boolean {
  return !handsUp(node) && hasAggregates(node)
}

function hasAggregates(node: ReadNode): boolean {
  return (
    node.fields.some(({ aggregate }) => aggregate !== null) ||
    node.embeds.some((embed) => handsUp(embed) && hasAggregates(embed))
  )
}

/** `clients!inner()` selects nothing: it joins, and is not answered with. */
export function isSilent(node: ReadNode): boolean {
  return node.fields.length === 0 && node.embeds.every(isSilent)
}

/** What a node gives its parent, in order. */
export function outputsOf(node: ReadNode): OutputColumn[] {
  const passes = handsUp(node)
  const own = node.fields.map(({ field, format, alias, aggregate }) => ({
    name: alias ?? field.name,
    aggregate: passes ? aggregate : null,
    isJson: format !== null,
  }))
  const embedded = node.embeds.flatMap((embed) => {
    if (isSilent(embed)) return []
    const { isSpread, name } = embed.attachment!
    return isSpread ? spreadOutputs(embed) : [{ name, aggregate: null, isJson: true }]
  })
  return [...own, ...embedded.map((output) => (passes ? output : named(output)))]
}

/** What a spread embed adds to its parent's row: to many, each column is a list. */
export function spreadOutputs(embed: ReadNode): OutputColumn[] {
  const outputs = outputsOf(embed)
  return handsUp(embed) ? outputs : outputs.map(({ name }) => ({ name, aggregate: null, isJson: true }))
}

/** Once it is done, an aggregate goes by the name it was asked for. */
function named({ name, aggregate, isJson }: OutputColumn): OutputColumn {
  return { name: aggregate?.alias ?? name, aggregate: null, isJson }
}
