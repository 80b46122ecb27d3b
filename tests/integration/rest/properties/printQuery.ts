import type {
  EmbedPath,
  Field,
  Filter,
  LogicTree,
  Operand,
  OrderTerm,
  SelectedField,
  SelectItem,
} from '../../../../backend/rest/parse/query.ts'
import type { Meaning } from './parseMeaning.ts'

/** How texts are quoted. The property test must detect a wrong way. */
export type Quoting = (text: string) => string

/** Escapes `"` and `\`, as the grammar requires. */
export const quoted: Quoting = (text) =>
  `"${text.replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`)}"`

/** The parameters of a query as pairs of name and value, without percent-encoding. */
export function printPairs(query: Meaning, quote: Quoting = quoted): [string, string][] {
  const printer = new QueryPrinter(quote)
  const at = (path: EmbedPath, last: string): string =>
    [...path.map((name) => printer.name(name)), last].join('.')
  return [
    ['select', printer.select(query.select)],
    ...query.filters.map(({ path, filter }): [string, string] => [
      at(path, printer.field(filter.field)),
      printer.operation(filter, false),
    ]),
    ...query.logic.map(({ path, tree }): [string, string] => {
      if (tree.kind === 'filter') throw new Error('a tree has a group at its root')
      return [at(path, `${tree.negated ? 'not.' : ''}${tree.kind}`), printer.items(tree.items)]
    }),
    ...query.order.map(({ path, terms }): [string, string] => [
      at(path, 'order'),
      terms.map((term) => printer.term(term)).join(','),
    ]),
    ...query.ranges.flatMap(({ path, range }): [string, string][] => [
      ...(range.limit === null ? [] : [[at(path, 'limit'), String(range.limit)] satisfies [string, string]]),
      [at(path, 'offset'), String(range.offset)],
    ]),
    ...(query.onConflict === null
      ? []
      : [
          ['on_conflict', query.onConflict.map((name) => printer.name(name)).join(',')] satisfies [
            string,
            string,
          ],
        ]),
  ]
}

/** The query string of these parameters. */
export function encodePairs(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
}

/** Keywords with which an unquoted parameter name can't end. */
const RESERVED = new Set(['select', 'columns', 'on_conflict', 'order', 'limit', 'offset', 'and', 'or', 'not'])

function isStar({ field, alias, cast, aggregate }: SelectedField): boolean {
  const isBare = alias === null && cast === null && aggregate === null
  return isBare && field.name === '*' && field.path.length === 0
}

class QueryPrinter {
  readonly #quote: Quoting

  constructor(quote: Quoting) {
    this.#quote = quote
  }

  name(name: string): string {
    return /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name) ? name : this.#quote(name)
  }

  field({ name, path }: Field): string {
    const steps = path.map(({ key, isIndex, asText }) => {
      const plain = isIndex || /^[a-z_]+$/.test(key)
      return `${asText ? '->>' : '->'}${plain ? key : this.#quote(key)}`
    })
    return `${this.name(name)}${steps.join('')}`
  }

  select(items: SelectItem[]): string {
    return items.map((item) => this.item(item)).join(',')
  }

  item(item: SelectItem): string {
    const alias = item.alias === null ? '' : `${this.name(item.alias)}:`
    if (item.kind === 'embed') {
      const modifiers = [item.hint === null ? null : this.name(item.hint), item.join]
      const marks = modifiers.flatMap((modifier) => (modifier === null ? [] : [`!${modifier}`])).join('')
      const start = item.spread ? '...' : alias
      return `${start}${this.name(item.relation)}${marks}(${this.select(item.items)})`
    }
    if (isStar(item)) return '*'
    const cast = item.cast === null ? '' : `::${item.cast}`
    const castAfter = item.aggregateCast === null ? '' : `::${item.aggregateCast}`
    if (item.aggregate === 'count' && item.field.name === '*') return `${alias}count()${castAfter}`
    const aggregate = item.aggregate === null ? '' : `.${item.aggregate}()${castAfter}`
    return `${alias}${this.field(item.field)}${cast}${aggregate}`
  }

  term({ relation, field, direction, nulls }: OrderTerm): string {
    const target = relation === null ? this.field(field) : `${this.name(relation)}(${this.field(field)})`
    return `${target}${direction === null ? '' : `.${direction}`}${nulls === null ? '' : `.nulls${nulls}`}`
  }

  items(items: LogicTree[]): string {
    return `(${items.map((item) => this.tree(item)).join(',')})`
  }

  tree(tree: LogicTree): string {
    if (tree.kind === 'filter') return `${this.field(tree.field)}.${this.operation(tree, true)}`
    return `${tree.negated ? 'not.' : ''}${tree.kind}${this.items(tree.items)}`
  }

  /** `not.eq(any).{1,2}`; in a group an operand is quoted, since it would end at a comma. */
  operation({ negated, operation }: Filter, isGrouped: boolean): string {
    const operand = (value: Operand): string => {
      if ('input' in value) throw new Error('a meaning has its values in their places')
      return isGrouped ? this.#quote(value.text) : value.text
    }
    const not = negated ? 'not.' : ''
    switch (operation.kind) {
      case 'is':
        return `${not}is.${operation.value}`
      case 'in':
        if ('input' in operation.operand) throw new Error('a meaning has its values in their places')
        return `${not}in.(${operation.operand.values.map((value) => this.#quote(value)).join(',')})`
      case 'isdistinct':
        return `${not}isdistinct.${operand(operation.operand)}`
      case 'fts': {
        const language = operation.language === null ? '' : `(${operation.language})`
        return `${not}${operation.search}${language}.${operand(operation.operand)}`
      }
      case 'compare': {
        const quantifier = operation.quantifier === null ? '' : `(${operation.quantifier})`
        return `${not}${operation.operator}${quantifier}.${operand(operation.operand)}`
      }
    }
  }
}
