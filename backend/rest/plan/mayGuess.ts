import { keyOf } from '../schemaCache/named.ts'
import type { SchemaCache } from '../schemaCache/schemaCache.ts'
import type { Named } from '../schemaCache/named.ts'
import type { ReadNode } from './plan.ts'

/**
 * Whether the planner's guess at a number of rows may be told. It rests on statistics of all rows: under row
 * security, a filter on a channel or a body would learn how often it occurs among rows that the caller may
 * not see. Unlike upstream, such rows are counted.
 */
export function mayGuess(root: ReadNode, cache: SchemaCache): boolean {
  const shows = ({ schema, name }: Named): boolean => !cache.tables.get(keyOf(schema, name))?.hidesRows
  const relationship = root.attachment?.relationship
  return (
    (!root.from || shows(root.from)) &&
    (relationship?.kind !== 'many-to-many' || shows(relationship.junction)) &&
    root.embeds.every((embed) => mayGuess(embed, cache))
  )
}
