import { type QualifiedName, keyOf } from '../schemaCache/qualifiedName.ts'
import type { SchemaCache } from '../schemaCache/schemaCache.ts'
import type { ReadNode } from './plan.ts'

/**
 * Whether the planner's row estimate can be returned. It is based on statistics of all rows: under row security, the
 * estimate for a filter would reveal how often a value occurs in rows that the caller can't see. Unlike upstream, the
 * rows are then counted.
 */
export function canEstimate(root: ReadNode, cache: SchemaCache): boolean {
  const showsAllRows = ({ schema, name }: QualifiedName): boolean =>
    !cache.tables.get(keyOf(schema, name))?.hidesRows
  const relationship = root.attachment?.relationship
  return (
    (!root.from || showsAllRows(root.from)) &&
    (relationship?.kind !== 'many-to-many' || showsAllRows(relationship.junction)) &&
    root.embeds.every((embed) => canEstimate(embed, cache))
  )
}
