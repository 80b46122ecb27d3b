import * as fc from 'fast-check'
import type {
  Comparison,
  Field,
  Filter,
  JsonStep,
  LogicTree,
  Operation,
  OrderTerm,
  SelectedEmbed,
  SelectedField,
  SelectItem,
} from '../../../../backend/rest/parse/query.ts'
import { columns } from './birds.ts'
import type { Kind, TableName } from './birds.ts'
import type { Meaning } from './parseMeaning.ts'

type Place = { path: string[]; table: TableName }

const ORDERED = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'] as const
const OPERATORS: Record<Kind, readonly Comparison[]> = {
  int: ORDERED,
  time: ORDERED,
  bool: ORDERED,
  text: [...ORDERED, 'like', 'ilike', 'match', 'imatch'],
  texts: ['eq', 'neq', 'cs', 'cd', 'ov'],
  json: ['eq', 'neq', 'cs', 'cd'],
}
const VALUES: Record<Kind, string[]> = {
  int: ['10', '20', '0', '-5', '1', '2', '4', '99'],
  time: ['2026-01-01T00:00:00Z', '2026-02-01T13:00:00+01:00', '2027-01-01T00:00:00Z'],
  bool: ['true', 'false'],
  text: ['a', 'ab', 'AB', 'b', 'oak', 'x', '1', ''],
  texts: ['{}', '{a}', '{a,b}', '{b,a}', '{c}', '{d}'],
  json: ['1', '"1"', '"x"', 'null', '{}', '[]', '{"k":1}', '{"l":["x"]}', '["x"]', '{"k":{"n":1}}'],
}
const PATTERNS = ['a*', '%b', '_b', '*', '', 'a_', 'A%', '*a*']
const EXPRESSIONS = ['^a', 'b$', 'a.b', '[ab]{2}', 'x|a', 'A']

function valueFor(kind: Kind, operator: Comparison): fc.Arbitrary<string> {
  if (operator === 'like' || operator === 'ilike') return fc.constantFrom(...PATTERNS)
  if (operator === 'match' || operator === 'imatch') return fc.constantFrom(...EXPRESSIONS)
  return fc.constantFrom(...VALUES[kind])
}

function comparison(kind: Kind): fc.Arbitrary<Operation> {
  return fc.constantFrom(...OPERATORS[kind]).chain((operator) =>
    fc.record({
      kind: fc.constant('compare' as const),
      operator: fc.constant(operator),
      quantifier: fc.constant(null),
      operand: valueFor(kind, operator).map((text) => ({ text })),
    }),
  )
}

/** `any` and `all` over lists of values that need no quotes. */
function quantified(kind: Kind): fc.Arbitrary<Operation> {
  const operators = OPERATORS[kind].filter(
    (operator) => operator !== 'neq' && operator !== 'match' && operator !== 'imatch',
  )
  return fc.constantFrom(...operators).chain((operator) =>
    fc.record({
      kind: fc.constant('compare' as const),
      operator: fc.constant(operator),
      quantifier: fc.constantFrom('any', 'all'),
      operand: fc
        .array(
          valueFor(kind, operator).filter((value) => value !== ''),
          { maxLength: 3 },
        )
        .map((values) => ({ text: `{${values.join(',')}}` })),
    }),
  )
}

function anyOperation(kind: Kind): fc.Arbitrary<Operation> {
  const is: fc.Arbitrary<Operation> = fc.record({
    kind: fc.constant('is' as const),
    value:
      kind === 'bool'
        ? fc.constantFrom('true', 'false', 'unknown', 'null')
        : fc.constantFrom('null', 'not_null'),
  })
  const among: fc.Arbitrary<Operation> = fc.record({
    kind: fc.constant('in' as const),
    operand: fc.record({
      values: fc.array(fc.constantFrom(...VALUES[kind]), { minLength: 1, maxLength: 3 }),
    }),
  })
  const distinct: fc.Arbitrary<Operation> = fc.record({
    kind: fc.constant('isdistinct' as const),
    operand: fc.constantFrom(...VALUES[kind]).map((text) => ({ text })),
  })
  const common = [comparison(kind), comparison(kind), is, distinct]
  // PostgreSQL has no lists of arrays, and lists of JSON need quotes.
  if (kind === 'texts') return fc.oneof(...common)
  return kind === 'json' ? fc.oneof(...common, among) : fc.oneof(...common, among, quantified(kind))
}

const paths = fc.constantFrom<[JsonStep[], Kind]>(
  [[], 'json'],
  [[{ key: 'k', isIndex: false, asText: true }], 'text'],
  [[{ key: 'k', isIndex: false, asText: false }], 'json'],
  [[{ key: '1', isIndex: true, asText: true }], 'text'],
  [
    [
      { key: 'l', isIndex: false, asText: false },
      { key: '0', isIndex: true, asText: true },
    ],
    'text',
  ],
)

/** A field and the type of its value, possibly inside of a JSON column. */
function anyField(table: TableName): fc.Arbitrary<[Field, Kind]> {
  return fc
    .tuple(fc.constantFrom(...Object.entries(columns[table])), paths)
    .map(([[name, kind], [path, inside]]) =>
      kind === 'json' ? [{ name, path }, inside] : [{ name, path: [] }, kind],
    )
}

function anyFilter(table: TableName): fc.Arbitrary<Filter> {
  return anyField(table).chain(([field, kind]) =>
    fc.record({
      kind: fc.constant('filter' as const),
      field: fc.constant(field),
      negated: fc.boolean(),
      operation: anyOperation(kind),
    }),
  )
}

function anyTree(table: TableName, depth: number): fc.Arbitrary<LogicTree> {
  const leaf = anyFilter(table)
  return fc.record({
    kind: fc.constantFrom('and', 'or'),
    negated: fc.boolean(),
    items: fc.array(depth === 0 ? leaf : fc.oneof(leaf, anyTree(table, depth - 1)), {
      minLength: 1,
      maxLength: 3,
    }),
  })
}

const term = (field: string, relation: string | null): fc.Arbitrary<OrderTerm> =>
  fc.record({
    relation: fc.constant(relation),
    field: fc.constant({ name: field, path: [] }),
    direction: fc.constantFrom('asc', 'desc', null),
    nulls: fc.constantFrom('first', 'last', null),
  })

/** Any order, completed by the id, so that only one result is right. */
function anyTerms(table: TableName, embeds: SelectedEmbed[]): fc.Arbitrary<OrderTerm[]> {
  const own = Object.entries(columns[table]).flatMap(([name, kind]) =>
    kind === 'json' || kind === 'texts' ? [] : [term(name, null)],
  )
  const theirs =
    table === 'birds' ? embeds.flatMap(({ alias }) => [term('name', alias), term('height', alias)]) : []
  return fc
    .tuple(fc.array(fc.oneof(...own, ...theirs), { maxLength: 2 }), fc.tuple(term('id', null)))
    .map((lists) => lists.flat())
}

const star: SelectedField = {
  kind: 'field',
  field: { name: '*', path: [] },
  alias: null,
  cast: null,
  aggregate: null,
  aggregateCast: null,
}

function anyEmbeds(table: TableName, depth: number): fc.Arbitrary<SelectedEmbed[]> {
  if (depth === 0) return fc.constant([])
  const target: TableName = table === 'birds' ? 'nests' : 'birds'
  const embed = anyEmbeds(target, depth - 1).chain((inner) =>
    fc.record({
      kind: fc.constant('embed' as const),
      relation: fc.constant(target),
      alias: fc.constant<string | null>(null),
      hint: fc.constant(null),
      join: fc.constantFrom('inner', 'left', null),
      spread: fc.constant(false),
      items: fc.constant<SelectItem[]>([star, ...inner]),
    }),
  )
  return fc.array(embed, { maxLength: 2 }).map((embeds) => {
    for (const [index, each] of embeds.entries()) each.alias = `e${index}`
    return embeds
  })
}

function placesIn(
  table: TableName,
  embeds: SelectedEmbed[],
  path: string[],
): (Place & { embeds: SelectedEmbed[] })[] {
  const target: TableName = table === 'birds' ? 'nests' : 'birds'
  const below = embeds.flatMap((embed) =>
    placesIn(
      target,
      embed.items.filter((item) => item.kind === 'embed'),
      [...path, embed.alias!],
    ),
  )
  return [{ path, table, embeds }, ...below]
}

/** `e0=is.null`, `e0=not.is.null`: whether an embed has rows. */
function emptiness(embeds: SelectedEmbed[]): fc.Arbitrary<Filter> {
  return fc.record({
    kind: fc.constant('filter' as const),
    field: fc.constantFrom(...embeds).map(({ alias }): Field => ({ name: alias!, path: [] })),
    negated: fc.boolean(),
    operation: fc.constant({ kind: 'is' as const, value: 'null' as const }),
  })
}

/** Queries over birds and nests that evaluate.ts supports. */
export const anyTableQuery: fc.Arbitrary<{ table: TableName; query: Meaning }> = fc
  .constantFrom<TableName>('birds', 'nests')
  .chain((table) => fc.tuple(fc.constant(table), anyEmbeds(table, 2)))
  .chain(([table, embeds]) => {
    const places = placesIn(table, embeds, [])
    const at = <T>(make: (place: (typeof places)[number]) => fc.Arbitrary<T>): fc.Arbitrary<T> =>
      fc.constantFrom(...places).chain(make)
    const range = fc.record({ offset: fc.nat(2), limit: fc.option(fc.nat(4)) })
    const lists = places.filter((place) => place.path.length === 0 || place.table === 'birds')
    const query: fc.Arbitrary<Meaning> = fc.record({
      select: fc.constant([star, ...embeds]),
      filters: fc.array(
        at(({ path, table, embeds }) =>
          fc.record({
            path: fc.constant(path),
            filter: embeds.length > 0 ? fc.oneof(anyFilter(table), emptiness(embeds)) : anyFilter(table),
          }),
        ),
        { maxLength: 2 },
      ),
      logic: fc.array(
        at(({ path, table }) => fc.record({ path: fc.constant(path), tree: anyTree(table, 2) })),
        { maxLength: 2 },
      ),
      order: fc.tuple(
        ...places.map(({ path, table, embeds }) =>
          fc.record({ path: fc.constant(path), terms: anyTerms(table, embeds) }),
        ),
      ),
      ranges: fc
        .tuple(
          ...lists.map(({ path }) => fc.option(fc.record({ path: fc.constant(path), range }), { freq: 2 })),
        )
        .map((ranges) => ranges.flatMap((each) => (each ? [each] : []))),
      onConflict: fc.constant(null),
    })
    return query.map((query) => ({ table, query }))
  })
