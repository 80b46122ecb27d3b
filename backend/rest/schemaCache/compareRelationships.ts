import type { Relationship } from './schemaCache.ts'

const KINDS: Relationship['kind'][] = ['one-to-many', 'many-to-one', 'one-to-one', 'many-to-many', 'computed']

/**
 * Upstream's order of the relationships of one table: computed ones last; by what they lead to, itself last; by
 * kind; by constraint or junction; by columns. For `Array.sort`.
 */
export function compareRelationships(one: Relationship, other: Relationship): number {
  const [ours, theirs] = [sortKey(one), sortKey(other)]
  for (let at = 0; at < ours.length && at < theirs.length; at++) {
    if (ours[at]! < theirs[at]!) return -1
    if (ours[at]! > theirs[at]!) return 1
  }
  return ours.length - theirs.length
}

function sortKey(relationship: Relationship): (string | number)[] {
  const { kind, table, foreign } = relationship
  if (kind === 'computed') return [1, relationship.routine.schema, relationship.routine.name]
  const isSelf = table.schema === foreign.schema && table.name === foreign.name
  const common = [0, foreign.schema, foreign.name, isSelf ? 1 : 0, KINDS.indexOf(kind)]
  if (kind !== 'many-to-many') return [...common, relationship.constraint, ...relationship.columns.flat()]
  const { junction, constraints, columns, foreignColumns } = relationship
  return [
    ...common,
    junction.schema,
    junction.name,
    ...constraints,
    ...columns.flat(),
    ...foreignColumns.flat(),
  ]
}
