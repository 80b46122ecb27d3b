import type {
  Field,
  Filter,
  LogicTree,
  Operation,
  OrderTerm,
  SelectedEmbed,
  SelectItem,
} from '../../../../backend/rest/parse/query.ts'
import { columns, rows } from './birds.ts'
import type { Kind, Row, TableName } from './birds.ts'
import { JSON_NULL, compare, contains, equal, overlap, textOf, toPattern } from './values.ts'
import type { Meaning } from './parseMeaning.ts'

/** SQL's third truth value is null. */
type Truth = boolean | null

/** The result of a query: the id of each row and its embeds. */
export interface Answered {
  id: number
  [embed: string]: unknown
}

/**
 * Evaluates a query over the rows of birds.ts by the documented semantics, row by row and without SQL.
 */
export function evaluate(query: Meaning, table: TableName): Answered[] {
  return new Evaluator(query).evaluate(table, query.select, [], rows[table])
}

interface Candidate {
  row: Row
  embeds: Map<string, Candidate[]>
}

class Evaluator {
  readonly #query: Meaning

  constructor(query: Meaning) {
    this.#query = query
  }

  evaluate(table: TableName, items: SelectItem[], path: string[], among: Row[]): Answered[] {
    return this.#select(table, items, path, among).map((candidate) => this.#render(table, items, candidate))
  }

  #select(table: TableName, items: SelectItem[], path: string[], among: Row[]): Candidate[] {
    const embeds = items.filter((item) => item.kind === 'embed')
    const found: Candidate[] = []
    for (const row of among) {
      const candidate = { row, embeds: new Map<string, Candidate[]>() }
      for (const embed of embeds) {
        const inner = this.#select(targetOf(table), embed.items, [...path, embed.alias!], related(table, row))
        candidate.embeds.set(embed.alias!, inner)
      }
      const isWhole = embeds.every(
        (embed) => embed.join !== 'inner' || candidate.embeds.get(embed.alias!)!.length > 0,
      )
      if (isWhole && this.#passes(table, candidate, path)) found.push(candidate)
    }
    return this.#cut(this.#sort(table, found, path), path)
  }

  #render(table: TableName, items: SelectItem[], { row, embeds }: Candidate): Answered {
    const answered: Answered = { id: row.id }
    for (const item of items as SelectedEmbed[]) {
      if (item.kind !== 'embed') continue
      const list = embeds.get(item.alias!)!.map((each) => this.#render(targetOf(table), item.items, each))
      answered[item.alias!] = table === 'birds' ? (list[0] ?? null) : list
    }
    return answered
  }

  #passes(table: TableName, candidate: Candidate, path: string[]): boolean {
    const trees = [
      ...this.#query.filters.map(({ path, filter }) => ({ path, tree: filter })),
      ...this.#query.logic,
    ]
    return trees.every(({ path: at, tree }) => !same(at, path) || truth(table, candidate, tree) === true)
  }

  #sort(table: TableName, found: Candidate[], path: string[]): Candidate[] {
    const terms = this.#query.order.filter((order) => same(order.path, path)).flatMap((order) => order.terms)
    return found.toSorted((a, b) => {
      for (const term of terms) {
        const order = compareBy(table, term, a, b)
        if (order !== 0) return order
      }
      return 0
    })
  }

  #cut(found: Candidate[], path: string[]): Candidate[] {
    const range = this.#query.ranges.find((each) => same(each.path, path))?.range
    if (!range) return found
    return found.slice(range.offset, range.limit === null ? undefined : range.offset + range.limit)
  }
}

function same(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}

function targetOf(table: TableName): TableName {
  return table === 'birds' ? 'nests' : 'birds'
}

/** A bird's nest, or a nest's birds. */
function related(table: TableName, row: Row): Row[] {
  return table === 'birds'
    ? rows.nests.filter((nest) => nest.id === row.nest_id)
    : rows.birds.filter((bird) => bird.nest_id === row.id)
}

function truth(table: TableName, candidate: Candidate, tree: LogicTree): Truth {
  if (tree.kind === 'filter') return filterTruth(table, candidate, tree)
  const truths = new Set(tree.items.map((item) => truth(table, candidate, item)))
  const decisive = tree.kind === 'or'
  const joined = truths.has(decisive) ? decisive : truths.has(null) ? null : !decisive
  return tree.negated ? not(joined) : joined
}

function not(value: Truth): Truth {
  return value === null ? null : !value
}

function filterTruth(table: TableName, { row, embeds }: Candidate, filter: Filter): Truth {
  const embedded = embeds.get(filter.field.name)
  const value = embedded ? (embedded.length > 0 ? 'rows' : null) : valueOf(row, filter.field)
  const truth = operationTruth(kindOf(table, filter.field), value, filter.operation)
  return filter.negated ? not(truth) : truth
}

function kindOf(table: TableName, { name, path }: Field): Kind {
  if (path.length > 0) return path.at(-1)!.asText ? 'text' : 'json'
  return columns[table][name] ?? 'json'
}

/** Follows a JSON path: missing values are null, and so is the text of JSON null. */
function valueOf(row: Row, { name, path }: Field): unknown {
  let value = row[name]
  for (const { key, isIndex, asText } of path) {
    const isThere = value !== null && typeof value === 'object' && Array.isArray(value) === isIndex
    const inside: unknown = isThere ? (value as Record<string, unknown>)[key] : undefined
    if (inside === undefined) return null
    // SQL distinguishes JSON null from NULL; only `->` returns JSON null.
    value = asText ? textOf(inside) : inside === null ? JSON_NULL : inside
  }
  return value
}

function operationTruth(kind: Kind, value: unknown, operation: Operation): Truth {
  switch (operation.kind) {
    case 'is':
      if (operation.value === 'null') return value === null
      if (operation.value === 'not_null') return value !== null
      return operation.value === 'unknown' ? value === null : value === (operation.value === 'true')
    case 'isdistinct':
      return value === null || !equal(kind, value, textIn(operation.operand))
    case 'in': {
      const { values } = operation.operand as { values: string[] }
      const list = values.length === 1 && values[0] === '' ? [] : values
      return anyOf(list, (each) => compareTruth(kind, value, 'eq', each))
    }
    case 'compare': {
      const { operator, quantifier } = operation
      const text = textIn(operation.operand)
      if (quantifier === null) return compareTruth(kind, value, operator, text)
      const list = text
        .slice(1, -1)
        .split(',')
        .filter((each) => each !== '')
      if (quantifier === 'any') return anyOf(list, (each) => compareTruth(kind, value, operator, each))
      return not(anyOf(list, (each) => not(compareTruth(kind, value, operator, each))))
    }
    case 'fts':
      throw new Error('the words of a text are not asked for here')
  }
}

function textIn(operand: Extract<Operation, { kind: 'isdistinct' }>['operand']): string {
  return (operand as { text: string }).text
}

function anyOf(list: string[], sendRequest: (text: string) => Truth): Truth {
  const truths = new Set(list.map(sendRequest))
  return truths.has(true) ? true : truths.has(null) ? null : false
}

function compareTruth(kind: Kind, value: unknown, operator: string, text: string): Truth {
  if (value === null) return null
  switch (operator) {
    case 'eq':
      return equal(kind, value, text)
    case 'neq':
      return !equal(kind, value, text)
    case 'gt':
      return compare(kind, value, text) > 0
    case 'gte':
      return compare(kind, value, text) >= 0
    case 'lt':
      return compare(kind, value, text) < 0
    case 'lte':
      return compare(kind, value, text) <= 0
    case 'like':
      return toPattern(text, false).test(value as string)
    case 'ilike':
      return toPattern(text, true).test(value as string)
    case 'match':
      return new RegExp(text).test(value as string)
    case 'imatch':
      return new RegExp(text, 'i').test(value as string)
    case 'cs':
      return contains(kind, value, text, false)
    case 'cd':
      return contains(kind, value, text, true)
    case 'ov':
      return overlap(value as string[], text)
    default:
      throw new Error(`no such operator here: ${operator}`)
  }
}

/** By default nulls come last, or first in descending order. */
function compareBy(table: TableName, term: OrderTerm, a: Candidate, b: Candidate): number {
  const { relation, field, direction, nulls } = term
  const of = ({ row, embeds }: Candidate): unknown => {
    const from = relation === null ? row : embeds.get(relation)![0]?.row
    return from ? valueOf(from, field) : null
  }
  const kind = kindOf(relation === null ? table : targetOf(table), field)
  const [left, right] = [of(a), of(b)]
  if (left === null || right === null) {
    const nullsFirst = nulls === null ? direction === 'desc' : nulls === 'first'
    return left === right ? 0 : (left === null) === nullsFirst ? -1 : 1
  }
  const order = compare(kind, left, textOf(right)!)
  return direction === 'desc' ? -order : order
}
