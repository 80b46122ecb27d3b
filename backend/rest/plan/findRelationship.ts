import { errors } from '../errors.ts'
import type { SelectedEmbed } from '../parse/query.ts'
import { type QualifiedName, keyOf } from '../schemaCache/qualifiedName.ts'
import type { ForeignRelationship, Relationship, SchemaCache } from '../schemaCache/schemaCache.ts'
import { suggestName } from '../schemaCache/suggestName.ts'

/** Upstream's threshold is lower here than for tables. */
const MIN_SIMILARITY = 0.33

/**
 * The relationship of an embed. The target is the name of a table, a computed relationship, a constraint or a column; the
 * hint that of a constraint, a column or a junction table. Throws PGRST200 or PGRST201.
 */
export function findRelationship(
  cache: SchemaCache,
  schema: string,
  origin: string,
  embed: SelectedEmbed,
  role: string,
): Relationship {
  const all = cache.relationships.get(keyOf(schema, origin)) ?? []
  const isView = ({ foreign }: Relationship): boolean =>
    cache.tables.get(keyOf(foreign.schema, foreign.name))?.isView ?? false
  const found = all.filter(
    (candidate) => schemaOf(candidate) === schema && matches(candidate, embed, isView(candidate)),
  )
  if (found.length === 1) return found[0]!
  const visible = found.filter((candidate) => isVisible(cache, candidate, role))
  // Names of tables that the caller can't access are not revealed.
  if (visible.length === 0) {
    throw errors.noRelationship({
      parent: origin,
      child: embed.relation,
      hint: embed.hint,
      schema,
      suggestion: suggest(cache, { schema, name: origin }, embed.relation, role),
    })
  }
  throw errors.ambiguousRelationship(
    origin,
    embed.relation,
    visible.map(describe),
    visible.map((candidate) => `${candidate.foreign.name}!${hintFor(candidate)}`),
  )
}

/** Whether the role has a privilege on the target and the junction table. */
function isVisible(cache: SchemaCache, candidate: Relationship, role: string): boolean {
  const junction = candidate.kind === 'many-to-many' ? [candidate.junction] : []
  return [candidate.foreign, ...junction].every((named) => hasAccess(cache, named, role))
}

function hasAccess(cache: SchemaCache, { schema, name }: QualifiedName, role: string): boolean {
  return cache.tables.get(keyOf(schema, name))?.roles.includes(role) ?? false
}

/** The schema that must equal that of the request: of the function of a computed relationship, else of the target. */
function schemaOf(candidate: Relationship): string {
  return candidate.kind === 'computed' ? candidate.routine.schema : candidate.foreign.schema
}

function matches(candidate: Relationship, { relation, hint }: SelectedEmbed, isView: boolean): boolean {
  if (candidate.kind === 'computed') return candidate.routine.name === relation
  const { table, foreign } = candidate
  const namesTable = foreign.name === relation
  if (table.name === foreign.name && table.schema === foreign.schema) {
    // A self-reference: the table's name means one-to-many, the column's name many-to-one.
    if (hint !== null)
      return namesTable && candidate.kind === 'one-to-many' && singleColumn(candidate, 1) === hint
    return candidate.kind === 'one-to-many'
      ? namesTable
      : candidate.kind === 'many-to-one' && singleColumn(candidate, 0) === relation
  }
  if (candidate.kind === 'many-to-many')
    return namesTable && (hint === null || candidate.junction.name === hint)
  const namesKey = (name: string): boolean =>
    candidate.constraint === name || singleColumn(candidate, 0) === name
  // A constraint or column as target means the table only: with its views it would be ambiguous.
  if (hint === null) return namesTable || (!isView && namesKey(relation))
  return namesTable && (namesKey(hint) || singleColumn(candidate, 1) === hint)
}

/** The column of a single-column key: of this table (0) or the other one (1). */
function singleColumn(candidate: Relationship, side: 0 | 1): string | null {
  if (candidate.kind === 'computed' || candidate.kind === 'many-to-many') return null
  return candidate.columns.length === 1 ? candidate.columns[0]![side] : null
}

function hintFor(candidate: Relationship): string {
  if (candidate.kind === 'computed') return candidate.routine.name
  return candidate.kind === 'many-to-many' ? candidate.junction.name : candidate.constraint
}

/** An element of PGRST201's details. */
function describe(candidate: Relationship): object {
  const embedding = `${candidate.table.name} with ${candidate.foreign.name}`
  if (candidate.kind === 'computed') return { embedding }
  if (candidate.kind === 'many-to-many') {
    const { junction, constraints } = candidate
    const [one, other] = [candidate.columns, candidate.foreignColumns].map((pairs) =>
      renderList(pairs.map(([, b]) => b)),
    )
    const relationship = `${junction.name} using ${constraints[0]}${one} and ${constraints[1]}${other}`
    return { cardinality: candidate.kind, embedding, relationship }
  }
  return { cardinality: candidate.kind, embedding, relationship: describeKey(candidate) }
}

function describeKey({ constraint, table, foreign, columns }: ForeignRelationship): string {
  const ours = renderList(columns.map(([column]) => column))
  const theirs = renderList(columns.map(([, column]) => column))
  return `${constraint} using ${table.name}${ours} and ${foreign.name}${theirs}`
}

function renderList(names: string[]): string {
  return `(${names.join(', ')})`
}

/**
 * Suggests another target, or another origin if it has no relationships. Only names that the role can access; none if
 * the name is right and the hint is wrong.
 */
function suggest(cache: SchemaCache, origin: QualifiedName, target: string, role: string): string | null {
  const isAccessible = (named: QualifiedName): boolean => hasAccess(cache, named, role)
  const known = cache.relationships.get(keyOf(origin.schema, origin.name))
  if (known) return suggestTable(target, known.map(({ foreign }) => foreign).filter(isAccessible))
  const origins = [...cache.relationships.values()].flatMap(([first]) => (first ? [first.table] : []))
  return suggestTable(
    origin.name,
    origins.filter((each) => each.schema === origin.schema && isAccessible(each)),
  )
}

function suggestTable(target: string, tables: QualifiedName[]): string | null {
  const names = new Set(tables.map(({ name }) => name))
  const name = names.has(target) ? null : suggestName(target, names, MIN_SIMILARITY)
  return name === null ? null : `Perhaps you meant '${name}' instead of '${target}'.`
}
