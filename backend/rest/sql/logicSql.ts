import type { Operand, Operation } from '../parse/query.ts'
import type { EmbedFilter, PlannedField, PlannedFilter, PlannedLogic } from '../plan/plan.ts'
import type { Named } from '../schemaCache/named.ts'
import { COMPARISONS, IS_VALUES, TEXT_SEARCHES } from './operators.ts'
import { arrayLiteral, quote, quoteNamed } from './quote.ts'
import type { Bind, Binds } from './Binds.ts'

/** `"messages"."data"->$1->>$2`: JSON keys are parameters too. `row` is already quoted. */
export function fieldSql(row: string, field: PlannedField, binds: Binds): string {
  const column = field.name === '*' ? `${row}.*` : `${row}.${quote(field.name)}`
  if (field.path.length === 0) return column
  const steps = field.path.map(({ key, isIndex, asText }) => {
    const operand = binds.add({ from: 'text', text: key })
    return `${asText ? '->>' : '->'}${operand}${isIndex ? '::int' : ''}`
  })
  return `(${field.toJson ? `to_jsonb(${column})` : column}${steps.join('')})`
}

/** Says how the emptiness of an embed is asked for: differently in a SELECT and in its count. */
export type EmbedTest = (filter: EmbedFilter) => string

export function logicSql(row: string, logic: PlannedLogic, binds: Binds, embedTest: EmbedTest): string {
  if (logic.kind === 'embed') return embedTest(logic)
  if (logic.kind === 'filter') return filterSql(row, logic, binds)
  const items = logic.items.map((item) => logicSql(row, item, binds, embedTest))
  return `${logic.negated ? 'NOT ' : ''}(${items.join(logic.kind === 'and' ? ' AND ' : ' OR ')})`
}

function filterSql(row: string, filter: PlannedFilter, binds: Binds): string {
  const { field, negated, operation, parse } = filter
  const not = negated ? 'NOT ' : ''
  const plain = fieldSql(row, field, binds)
  if (operation.kind !== 'fts') return `${not}${plain} ${operationSql(operation, parse, binds)}`
  const language =
    operation.language === null ? '' : `${binds.add({ from: 'text', text: operation.language })}::regconfig, `
  const vector = field.toTsVector ? `to_tsvector(${language}${plain})` : plain
  const words = binds.add(plainBind(operation.operand))
  return `${not}${vector} @@ ${TEXT_SEARCHES[operation.search]}(${language}${words})`
}

function operationSql(
  operation: Exclude<Operation, { kind: 'fts' }>,
  parse: Named | null,
  binds: Binds,
): string {
  switch (operation.kind) {
    case 'is':
      return `IS ${IS_VALUES[operation.value]}`
    case 'isdistinct':
      return `IS DISTINCT FROM ${parsedSql(parse, binds.add(plainBind(operation.operand)))}`
    case 'in': {
      const { operand } = operation
      const list =
        'input' in operand
          ? binds.add({ from: 'input', input: operand.input, as: 'list' })
          : binds.add({ from: 'text', text: listLiteral(operand.values) })
      return `= ANY (${parsedListSql(parse, list)})`
    }
    case 'compare': {
      const { operator, quantifier } = operation
      const isPattern = operator === 'like' || operator === 'ilike'
      if (isPattern)
        return `${operator} ${quantifiedSql(quantifier, binds.add(patternBind(operation.operand)))}`
      const value = binds.add(plainBind(operation.operand))
      const operand =
        quantifier === null ? parsedSql(parse, value) : quantifiedSql(quantifier, parsedListSql(parse, value))
      return `${COMPARISONS[operator]} ${operand}`
    }
  }
}

function quantifiedSql(quantifier: 'any' | 'all' | null, list: string): string {
  return quantifier === null ? list : `${quantifier.toUpperCase()} (${list})`
}

/** An operand as the column's representation reads it. */
function parsedSql(parse: Named | null, value: string): string {
  return parse ? `${quoteNamed(parse)}(${value}::text)` : value
}

/** As an array, which an index can be asked for. */
function parsedListSql(parse: Named | null, list: string): string {
  return parse
    ? `ARRAY(SELECT ${quoteNamed(parse)}(pgrst_item) FROM unnest(${list}::text[]) AS pgrst_item)`
    : list
}

function plainBind(operand: Operand): Bind {
  return 'input' in operand
    ? { from: 'input', input: operand.input, as: 'plain' }
    : { from: 'text', text: operand.text }
}

function patternBind(operand: Operand): Bind {
  return 'input' in operand
    ? { from: 'input', input: operand.input, as: 'like' }
    : { from: 'text', text: toPattern(operand.text) }
}

/** `*` stands for `%` in patterns, which would have to be percent-encoded in a URL. */
export function toPattern(text: string): string {
  return text.replaceAll('*', '%')
}

/** `in.()` is the empty list, not a list of one empty text. */
export function listLiteral(values: string[]): string {
  return values.length === 1 && values[0] === '' ? '{}' : arrayLiteral(values)
}
