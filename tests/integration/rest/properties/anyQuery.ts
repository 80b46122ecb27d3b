import * as fc from 'fast-check'
import { COMPARISONS, IS_VALUES, TEXT_SEARCHES } from '../../../../backend/rest/parse/query.ts'
import type {
  Aggregate,
  Field,
  Filter,
  JsonStep,
  LogicGroup,
  LogicTree,
  Operation,
  OrderTerm,
  SelectedEmbed,
  SelectedField,
  SelectItem,
} from '../../../../backend/rest/parse/query.ts'
import { inOrder } from './parseMeaning.ts'
import type { Meaning } from './parseMeaning.ts'

/** Characters with a meaning in the grammar, in PostgreSQL or in a URL. */
const AWKWARD = '.,:()"\'\\ ->!*{}[]&=%+?#/;$@~\t'

const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom(...AWKWARD), maxLength: 6 }) },
  { weight: 2, arbitrary: fc.constantFrom('id', 'eq.1', 'not.null', '(a,b)', '{a,"b"}', 'null', '', '5') },
)
const anyName = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('id', 'name', 'data', 'tasks', 'count', 'inner', 'is', 'eq') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('select', 'order', 'limit', 'offset', 'columns', 'on_conflict', 'asc'),
  },
  { weight: 2, arbitrary: text.filter((written) => written !== '') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }) },
)
/** `*` means all columns, quoted or not, like upstream. */
const name = anyName.filter((written) => written !== '*')
/** Names of embeds, except the keywords `not`, `and` and `or`. */
const embedName = name.filter((written) => !['not', 'and', 'or'].includes(written))
const path = fc.array(embedName, { maxLength: 2 })
const bare = fc.constantFrom('int', 'text', 'double precision', 'Ünï_1', '$x')

const step: fc.Arbitrary<JsonStep> = fc.oneof(
  fc.record({
    key: fc.integer({ min: -9, max: 99 }).map(String),
    isIndex: fc.constant(true),
    asText: fc.boolean(),
  }),
  fc.record({
    key: text.filter((key) => key !== '' && !/^-?\d+$/.test(key)),
    isIndex: fc.constant(false),
    asText: fc.boolean(),
  }),
)
const field: fc.Arbitrary<Field> = fc.record({
  name,
  path: fc.array(step, { maxLength: 3, size: 'small' }),
})

const operand = text.map((written) => ({ text: written }))
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    kind: fc.constant('compare' as const),
    operator: fc.constantFrom(...COMPARISONS),
    quantifier: fc.constant(null),
    operand,
  }),
  fc.record({
    kind: fc.constant('compare' as const),
    operator: fc.constantFrom('eq', 'gte', 'gt', 'lte', 'lt', 'like', 'ilike', 'match', 'imatch'),
    quantifier: fc.constantFrom('any', 'all'),
    operand,
  }),
  fc.record({
    kind: fc.constant('in' as const),
    operand: fc.record({ values: fc.array(text, { minLength: 1, maxLength: 4 }) }),
  }),
  fc.record({
    kind: fc.constant('is' as const),
    value: fc.constantFrom(...IS_VALUES),
  }),
  fc.record({ kind: fc.constant('isdistinct' as const), operand }),
  fc.record({
    kind: fc.constant('fts' as const),
    search: fc.constantFrom(...TEXT_SEARCHES),
    language: fc.option(bare),
    operand,
  }),
)
const filter: fc.Arbitrary<Filter> = fc.record({
  kind: fc.constant('filter' as const),
  field,
  negated: fc.boolean(),
  operation,
})

const { group } = fc.letrec<{ group: LogicGroup; tree: LogicTree }>((tie) => ({
  group: fc.record({
    kind: fc.constantFrom('and', 'or'),
    negated: fc.boolean(),
    items: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
  }),
  tree: fc.oneof({ depthSize: 'small', withCrossShrink: true }, filter, tie('group')),
}))

const star: fc.Arbitrary<SelectedField> = fc.constant({
  kind: 'field',
  field: { name: '*', path: [] },
  alias: null,
  cast: null,
  aggregate: null,
  aggregateCast: null,
})
const count: fc.Arbitrary<SelectedField> = fc.record({
  kind: fc.constant('field' as const),
  field: fc.constant({ name: '*', path: [] }),
  alias: fc.option(name),
  cast: fc.constant(null),
  aggregate: fc.constant('count' as const),
  aggregateCast: fc.option(bare),
})
const plain: fc.Arbitrary<SelectedField> = fc
  .record({
    kind: fc.constant('field' as const),
    field,
    alias: fc.option(name),
    cast: fc.option(bare),
    aggregate: fc.option(fc.constantFrom<Aggregate>('sum', 'avg', 'count', 'max', 'min')),
    aggregateCast: fc.option(bare),
  })
  .map((item) => (item.aggregate === null ? Object.assign(item, { aggregateCast: null }) : item))
const { items } = fc.letrec<{ items: SelectItem[]; embed: SelectedEmbed }>((tie) => ({
  items: fc.array(fc.oneof({ depthSize: 'small', withCrossShrink: true }, plain, star, count, tie('embed')), {
    maxLength: 4,
  }),
  embed: fc
    .record({
      kind: fc.constant('embed' as const),
      // `count()` is the aggregate, never an empty embed of a table with that name.
      relation: name.filter((written) => written !== 'count'),
      alias: fc.option(name),
      // A hint that equals a join type is that join type.
      hint: fc.option(name.filter((written) => written !== 'inner' && written !== 'left')),
      join: fc.constantFrom('inner', 'left', null),
      spread: fc.boolean(),
      items: tie('items'),
    })
    .map((embed) => (embed.spread ? Object.assign(embed, { alias: null }) : embed)),
}))

const term: fc.Arbitrary<OrderTerm> = fc.record({
  relation: fc.option(name),
  field,
  direction: fc.constantFrom('asc', 'desc', null),
  nulls: fc.constantFrom('first', 'last', null),
})
const range = fc.record({ offset: fc.nat(), limit: fc.option(fc.integer()) })

/** Queries of the whole grammar, with names and values that need escaping. */
export const anyQuery: fc.Arbitrary<Meaning> = fc.record({
  select: items.filter((list) => list.length > 0),
  filters: fc.array(fc.record({ path, filter }), { maxLength: 4 }),
  logic: fc.array(fc.record({ path, tree: group }), { maxLength: 3 }),
  order: fc.array(fc.record({ path, terms: fc.array(term, { minLength: 1, maxLength: 3 }) }), {
    maxLength: 2,
  }),
  ranges: fc
    .uniqueArray(fc.record({ path, range }), { maxLength: 2, selector: ({ path }) => JSON.stringify(path) })
    .map(inOrder),
  onConflict: fc.option(fc.uniqueArray(name, { minLength: 1, maxLength: 3 })),
})
