import { errors } from '../errors.ts'
import type { SelectedEmbed } from '../parse/query.ts'
import { keyOf } from '../schemaCache/schemaCache.ts'
import type { ForeignRelationship, Relationship, SchemaCache } from '../schemaCache/schemaCache.ts'
import { suggestName } from '../schemaCache/suggestName.ts'

/**
 * The one relationship that an embed means. The target may name a table, a computed relationship, a
 * constraint or a column; the hint a constraint, a column or a junction. Throws PGRST200 or PGRST201.
 */
export function findRelationship(
  cache: SchemaCache,
  schema: string,
  origin: string,
  embed: SelectedEmbed,
  role: string,
): Relationship {
  const all = cache.relationships.get(keyOf(schema, origin)) ?? []
  const found = all.filter((candidate) => candidate.foreign.schema === schema && matches(candidate, embed))
  if (found.length === 1) return found[0]!
  if (found.length === 0) {
    throw errors.noRelationship({
      parent: origin,
      child: embed.relation,
      hint: embed.hint,
      schema,
      suggestion: suggest(cache, embed.relation, all, role),
    })
  }
  throw errors.ambiguousRelationship(
    origin,
    embed.relation,
    found.map(describe),
    found.map((candidate) => `${candidate.foreign.name}!${hintFor(candidate)}`),
  )
}

function matches(candidate: Relationship, { relation, hint }: SelectedEmbed): boolean {
  if (candidate.kind === 'computed') return candidate.routine.name === relation
  const isSelf = candidate.table.name === candidate.foreign.name
  const namesTable = candidate.foreign.name === relation
  if (isSelf) {
    // One key, two directions: its table's name means the many, its column's name the one.
    if (hint !== null)
      return namesTable && candidate.kind === 'one-to-many' && onlyColumn(candidate, 1) === hint
    return candidate.kind === 'one-to-many'
      ? namesTable
      : candidate.kind === 'many-to-one' && onlyColumn(candidate, 0) === relation
  }
  if (candidate.kind === 'many-to-many')
    return namesTable && (hint === null || candidate.junction.name === hint)
  if (hint === null)
    return namesTable || candidate.constraint === relation || onlyColumn(candidate, 0) === relation
  return (
    namesTable &&
    (candidate.constraint === hint || onlyColumn(candidate, 0) === hint || onlyColumn(candidate, 1) === hint)
  )
}

/** The column of a key of one column: ours (0) or theirs (1). */
function onlyColumn(candidate: Relationship, side: 0 | 1): string | null {
  if (candidate.kind === 'computed' || candidate.kind === 'many-to-many') return null
  return candidate.columns.length === 1 ? candidate.columns[0]![side] : null
}

function hintFor(candidate: Relationship): string {
  if (candidate.kind === 'computed') return candidate.routine.name
  return candidate.kind === 'many-to-many' ? candidate.junction.name : candidate.constraint
}

/** An element of the details of PGRST201. */
function describe(candidate: Relationship): object {
  const embedding = `${candidate.table.name} with ${candidate.foreign.name}`
  if (candidate.kind === 'computed') return { embedding }
  if (candidate.kind === 'many-to-many') {
    const { junction, constraints } = candidate
    const [one, other] = [candidate.columns, candidate.foreignColumns].map((pairs) =>
      list(pairs.map(([, b]) => b)),
    )
    const relationship = `${junction.name} using ${constraints[0]}${one} and ${constraints[1]}${other}`
    return { cardinality: candidate.kind, embedding, relationship }
  }
  return { cardinality: candidate.kind, embedding, relationship: describeKey(candidate) }
}

function describeKey({ constraint, table, foreign, columns }: ForeignRelationship): string {
  const ours = list(columns.map(([column]) => column))
  const theirs = list(columns.map(([, column]) => column))
  return `${constraint} using ${table.name}${ours} and ${foreign.name}${theirs}`
}

function list(names: string[]): string {
  return `(${names.join(', ')})`
}

function suggest(cache: SchemaCache, target: string, known: Relationship[], role: string): string | null {
  const visible = known.flatMap(({ foreign }) =>
    cache.tables.get(keyOf(foreign.schema, foreign.name))?.roles.includes(role) ? [foreign.name] : [],
  )
  const name = suggestName(target, new Set(visible))
  return name === null ? null : `Perhaps you meant '${name}' instead of '${target}'.`
}
