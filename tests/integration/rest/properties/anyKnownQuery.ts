import {
  COMPARISONS,
  type Field,
  type Filter,
  type JsonStep,
  type LogicTree,
  type Operation,
  type OrderTerm,
  type SelectItem,
  type SelectedEmbed,
  type SelectedField,
} from '../../../../backend/rest/parse/query.ts'
import { keyOf } from '../../../../backend/rest/schemaCache/qualifiedName.ts'
import {
  type Relationship,
  type SchemaCache,
  type Table,
  isToOne,
} from '../../../../backend/rest/schemaCache/schemaCache.ts'
import type { Meaning } from './parseMeaning.ts'
import * as fc from 'fast-check'

const DEEPEST = 3

const OPERANDS = [...'1 2 Ann true {a,b} [1,5) 2026-01-01 {"k":[1,2]} null " % * \\'.split(' '), '', "it's"]
const operand = fc.constantFrom(...OPERANDS)
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    kind: fc.constant('compare' as const),
    operator: fc.constantFrom(...COMPARISONS),
    quantifier: fc.constant(null),
    operand: operand.map((text) => ({ text })),
  }),
  fc.record({
    kind: fc.constant('compare' as const),
    operator: fc.constantFrom('eq', 'gt', 'like', 'imatch'),
    quantifier: fc.constantFrom('any', 'all'),
    operand: fc.constantFrom('{}', '{1,2}', '{a,b}', '{"a b",NULL}').map((text) => ({ text })),
  }),
  fc.record({
    kind: fc.constant('in' as const),
    operand: fc.record({ values: fc.array(operand, { minLength: 1, maxLength: 3 }) }),
  }),
  fc.record({
    kind: fc.constant('is' as const),
    value: fc.constantFrom('null', 'not_null', 'true', 'unknown'),
  }),
  fc.record({ kind: fc.constant('isdistinct' as const), operand: operand.map((text) => ({ text })) }),
  fc.record({
    kind: fc.constant('fts' as const),
    search: fc.constantFrom('fts', 'plfts', 'phfts', 'wfts'),
    language: fc.constantFrom(null, 'english', 'simple'),
    operand: fc.constantFrom('bird', 'brown bird', 'a & b', '').map((text) => ({ text })),
  }),
)
const step: fc.Arbitrary<JsonStep> = fc.oneof(
  fc.record({
    key: fc.constantFrom('k', 'n', "it's", 'a"b', '$1'),
    isIndex: fc.constant(false),
    asText: fc.boolean(),
  }),
  fc.record({ key: fc.constantFrom('0', '-1', '7'), isIndex: fc.constant(true), asText: fc.boolean() }),
)

/** An embed with the relationship that it follows. */
interface Branch {
  embed: SelectedEmbed
  relationship: Relationship
  target: Table
  children: Branch[]
}

/** Paths for filters, order and limits, with their table. */
interface Place {
  path: string[]
  table: Table
}

/** Queries on `table` alone and on what can be embedded from it; every name exists. */
export function anyKnownQuery(cache: SchemaCache, table: Table): fc.Arbitrary<Meaning> {
  return fc.tuple(selectedColumns(table), anyEmbeds(cache, table, 1)).chain(([columns, branches]) => {
    const places = [{ path: [], table }, ...branches.flatMap((branch) => placesIn(branch, []))]
    const place = fc.constantFrom(...places)
    const ordered = place.chain(({ path, table }) =>
      fc.record({ path: fc.constant(path), terms: anyTerms(table, null) }),
    )
    const byPath = ({ path }: { path: string[] }): string => path.join('.')
    const orders = fc.uniqueArray(ordered, { maxLength: 2, selector: byPath })
    return fc.record({
      select: fc.constant([...columns, ...branches.map(({ embed }) => embed)]),
      filters: fc.array(
        place.chain(({ path, table }) => fc.record({ path: fc.constant(path), filter: anyFilter(table) })),
        { maxLength: 3 },
      ),
      logic: fc.array(
        place.chain(({ path, table }) => fc.record({ path: fc.constant(path), tree: anyGroup(table) })),
        { maxLength: 1 },
      ),
      order: fc.tuple(orders, relatedOrder(branches)).map((lists) => lists.flat()),
      ranges: fc.uniqueArray(
        place.chain(({ path }) =>
          fc.record({
            path: fc.constant(path),
            range: fc.record({ offset: fc.nat(3), limit: fc.option(fc.nat(5)) }),
          }),
        ),
        { maxLength: 2, selector: byPath },
      ),
      onConflict: fc.constant(null),
    })
  })
}

/** Names are unique, as they are keys of the response; only one embed can be spread. */
function named(branches: Branch[]): Branch[] {
  for (const [index, { embed, children }] of branches.entries()) {
    embed.spread &&= branches.length === 1
    embed.alias = embed.spread ? null : `e${index}`
    named(children)
  }
  return branches
}

function anyEmbeds(cache: SchemaCache, table: Table, depth: number): fc.Arbitrary<Branch[]> {
  const known = cache.relationships.get(keyOf(table.schema, table.name)) ?? []
  if (known.length === 0 || depth > DEEPEST) return fc.constant([])
  const embed = fc.constantFrom(...known).chain((relationship) => {
    const target = cache.tables.get(keyOf(relationship.foreign.schema, relationship.foreign.name))!
    return fc
      .tuple(
        selectedColumns(target),
        anyEmbeds(cache, target, depth + 1),
        fc.constantFrom('inner', 'left', null),
        fc.nat(4),
      )
      .map(([columns, children, join, spread]): Branch => {
        const items = [...columns, ...children.map((child) => child.embed)]
        const words = wordsFor(relationship)
        const embed: SelectedEmbed = {
          kind: 'embed',
          ...words,
          alias: null,
          join,
          spread: spread === 0,
          items,
        }
        return { embed, relationship, target, children }
      })
  })
  return fc.array(embed, { maxLength: 3, size: depth === 1 ? 'medium' : 'xsmall' }).map(named)
}

/** The relation and hint that select this relationship only. */
function wordsFor(relationship: Relationship): { relation: string; hint: string | null } {
  const { foreign } = relationship
  if (relationship.kind === 'computed') return { relation: relationship.routine.name, hint: null }
  if (relationship.kind === 'many-to-many')
    return { relation: foreign.name, hint: relationship.junction.name }
  if (relationship.table.name !== foreign.name)
    return { relation: foreign.name, hint: relationship.constraint }
  const [ours, theirs] = relationship.columns[0]!
  return relationship.kind === 'many-to-one'
    ? { relation: ours, hint: null }
    : { relation: foreign.name, hint: theirs }
}

function placesIn({ embed, target, children }: Branch, above: string[]): Place[] {
  const path = [...above, embed.alias ?? embed.relation]
  return [{ path, table: target }, ...children.flatMap((child) => placesIn(child, path))]
}

function anyField(table: Table): fc.Arbitrary<Field> {
  const path = fc.oneof(
    { weight: 4, arbitrary: fc.constant<JsonStep[]>([]) },
    { weight: 1, arbitrary: fc.array(step, { minLength: 1, maxLength: 2 }) },
  )
  return fc.record({ name: fc.constantFrom(...table.columns.keys()), path })
}

function selectedColumns(table: Table): fc.Arbitrary<SelectItem[]> {
  const column: fc.Arbitrary<SelectedField> = fc.record({
    kind: fc.constant('field' as const),
    field: anyField(table),
    alias: fc.constant(null),
    cast: fc.constantFrom(null, null, 'text', 'json', 'int'),
    aggregate: fc.constant(null),
    aggregateCast: fc.constant(null),
  })
  const star: fc.Arbitrary<SelectedField> = fc.constant({
    kind: 'field',
    field: { name: '*', path: [] },
    alias: null,
    cast: null,
    aggregate: null,
    aggregateCast: null,
  })
  return fc.oneof(
    fc.tuple(star),
    fc.uniqueArray(column, { minLength: 1, maxLength: 3, selector: ({ field }) => field.name }),
  )
}

function anyFilter(table: Table): fc.Arbitrary<Filter> {
  return fc.record({
    kind: fc.constant('filter' as const),
    field: anyField(table),
    negated: fc.boolean(),
    operation,
  })
}

function anyGroup(table: Table): fc.Arbitrary<LogicTree> {
  const group = (items: fc.Arbitrary<LogicTree>): fc.Arbitrary<LogicTree> =>
    fc.record({
      kind: fc.constantFrom('and', 'or'),
      negated: fc.boolean(),
      items: fc.array(items, { minLength: 1, maxLength: 3 }),
    })
  const leaf = anyFilter(table)
  return group(fc.oneof(leaf, group(leaf)))
}

function anyTerms(table: Table, relation: string | null): fc.Arbitrary<OrderTerm[]> {
  return fc.array(
    fc.record({
      relation: fc.constant(relation),
      field: anyField(table),
      direction: fc.constantFrom('asc', 'desc', null),
      nulls: fc.constantFrom('first', 'last', null),
    }),
    { minLength: 1, maxLength: 2 },
  )
}

/** An order by a field of a to-one embed that selects it. */
function relatedOrder(branches: Branch[]): fc.Arbitrary<Meaning['order']> {
  const ones = branches.filter(
    ({ embed: { alias, items }, relationship }) =>
      isToOne(relationship) &&
      alias !== null &&
      items.some((item) => item.kind === 'field' && item.field.name === '*'),
  )
  if (ones.length === 0) return fc.constant([])
  const related = fc
    .constantFrom(...ones)
    .chain(({ embed, target }) =>
      fc.record({ path: fc.constant<string[]>([]), terms: anyTerms(target, embed.alias) }),
    )
  return fc.array(related, { maxLength: 1 })
}
