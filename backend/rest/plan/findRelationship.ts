import { errors } from '../errors.ts'
import type { SelectedEmbed } from '../parse/query.ts'
import { keyOf } from '../schemaCache/named.ts'
import type { ForeignRelationship, Relationship, SchemaCache } from '../schemaCache/schemaCache.ts'
import type { Named } from '../schemaCache/named.ts'
import { suggestName } from '../schemaCache/suggestName.ts'

/** Upstream suggests more freely here than for tables. */
const LEAST_ALIKE = 0.33

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
  const isView = ({ foreign }: Relationship): boolean =>
    cache.tables.get(keyOf(foreign.schema, foreign.name))?.isView ?? false
  const found = all.filter(
    (candidate) => schemaOf(candidate) === schema && matches(candidate, embed, isView(candidate)),
  )
  if (found.length === 1) return found[0]!
  const open = found.filter((candidate) => mayBeNamed(cache, candidate, role))
  // Those that he has no right to use are no choice of his, nor are their names for him to know.
  if (open.length === 0) {
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
    open.map(describe),
    open.map((candidate) => `${candidate.foreign.name}!${hintFor(candidate)}`),
  )
}

/** Whether the role has any right on what the relationship leads to and over. */
function mayBeNamed(cache: SchemaCache, candidate: Relationship, role: string): boolean {
  const junction = candidate.kind === 'many-to-many' ? [candidate.junction] : []
  return [candidate.foreign, ...junction].every((named) => isOpen(cache, named, role))
}

function isOpen(cache: SchemaCache, { schema, name }: Named, role: string): boolean {
  return cache.tables.get(keyOf(schema, name))?.roles.includes(role) ?? false
}

/** The schema that must be the request's: of the function that was named, else of the table. */
function schemaOf(candidate: Relationship): string {
  return candidate.kind === 'computed' ? candidate.routine.schema : candidate.foreign.schema
}

function matches(candidate: Relationship, { relation, hint }: SelectedEmbed, isView: boolean): boolean {
  if (candidate.kind === 'computed') return candidate.routine.name === relation
  const { table, foreign } = candidate
  const namesTable = foreign.name === relation
  if (table.name === foreign.name && table.schema === foreign.schema) {
    // One key, two directions: its table's name means the many, its column's name the one.
    if (hint !== null)
      return namesTable && candidate.kind === 'one-to-many' && onlyColumn(candidate, 1) === hint
    return candidate.kind === 'one-to-many'
      ? namesTable
      : candidate.kind === 'many-to-one' && onlyColumn(candidate, 0) === relation
  }
  if (candidate.kind === 'many-to-many')
    return namesTable && (hint === null || candidate.junction.name === hint)
  const namesKey = (name: string): boolean =>
    candidate.constraint === name || onlyColumn(candidate, 0) === name
  // A key named alone means its table; were it to mean views of that as well, each view would make it ambiguous.
  if (hint === null) return namesTable || (!isView && namesKey(relation))
  return namesTable && (namesKey(hint) || onlyColumn(candidate, 1) === hint)
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

/**
 * What might have been meant: another table to embed, or, where the origin has no relationships at all, another
 * origin. Only names that the role may know; none when the name is right and the hint is wrong.
 */
function suggest(cache: SchemaCache, origin: Named, target: string, role: string): string | null {
  const mayKnow = (named: Named): boolean => isOpen(cache, named, role)
  const known = cache.relationships.get(keyOf(origin.schema, origin.name))
  if (known) return like(target, known.map(({ foreign }) => foreign).filter(mayKnow))
  const origins = [...cache.relationships.values()].flatMap(([first]) => (first ? [first.table] : []))
  return like(
    origin.name,
    origins.filter((each) => each.schema === origin.schema && mayKnow(each)),
  )
}

function like(wanted: string, tables: Named[]): string | null {
  const names = new Set(tables.map(({ name }) => name))
  const name = names.has(wanted) ? null : suggestName(wanted, names, LEAST_ALIKE)
  return name === null ? null : `Perhaps you meant '${name}' instead of '${wanted}'.`
}
