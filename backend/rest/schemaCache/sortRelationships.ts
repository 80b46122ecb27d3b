import type { Relationship } from './schemaCache.ts'

type SortKey = (string | number)[]

const KINDS: Relationship['kind'][] = ['one-to-many', 'many-to-one', 'one-to-one', 'many-to-many', 'computed']

/**
 * Upstream's order of the relationships of one table: computed ones last; then by target, with the table itself last; by
 * kind; by constraint or junction; by columns.
 */
export function sortRelationships(list: Relationship[]): Relationship[] {
  // Sort keys are computed once, not for each comparison: a thousand tables have tens of thousands of relationships.
  const keyed = list.map((relationship) => ({ relationship, key: sortKey(relationship) }))
  return keyed.sort((one, other) => compareKeys(one.key, other.key)).map(({ relationship }) => relationship)
}

function compareKeys(ours: SortKey, theirs: SortKey): number {
  for (let at = 0; at < ours.length && at < theirs.length; at++) {
    if (ours[at]! < theirs[at]!) return -1
    if (ours[at]! > theirs[at]!) return 1
  }
  return ours.length - theirs.length
}

function sortKey(relationship: Relationship): SortKey {
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
