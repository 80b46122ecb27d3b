import type { Operand, Operation } from '../parse/query.ts'
import type { EmbedFilter, PlannedField, PlannedFilter, PlannedLogic } from '../plan/plan.ts'
import type { QualifiedName } from '../schemaCache/qualifiedName.ts'
import type { Bind, Binds } from './Binds.ts'
import { COMPARISON_OPERATORS, IS_VALUES, TEXT_SEARCHES } from './operators.ts'
import { arrayLiteral, quote, quoteNamed } from './quote.ts'

/** `"messages"."data"->$1->>$2`: JSON keys are parameters. `row` is quoted. */
export function fieldSql(row: string, field: PlannedField, binds: Binds): string {
  const column = field.name === '*' ? `${row}.*` : `${row}.${quote(field.name)}`
  if (field.path.length === 0) return column
  const steps = field.path.map(({ key, isIndex, asText }) => {
    const operand = binds.add({ from: 'text', text: key })
    return `${asText ? '->>' : '->'}${operand}${isIndex ? '::int' : ''}`
  })
  return `(${field.toJson ? `to_jsonb(${column})` : column}${steps.join('')})`
}

/** Tests whether an embed has rows; differs between a SELECT and its count. */
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
  const terms = binds.add(plainBind(operation.operand))
  return `${not}${vector} @@ ${TEXT_SEARCHES[operation.search]}(${language}${terms})`
}

function operationSql(
  operation: Exclude<Operation, { kind: 'fts' }>,
  parse: QualifiedName | null,
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
      return `${COMPARISON_OPERATORS[operator]} ${operand}`
    }
  }
}

function quantifiedSql(quantifier: 'any' | 'all' | null, list: string): string {
  return quantifier === null ? list : `${quantifier.toUpperCase()} (${list})`
}

/** An operand, parsed by the column's representation. */
function parsedSql(parse: QualifiedName | null, value: string): string {
  return parse ? `${quoteNamed(parse)}(${value}::text)` : value
}

/** An array, which can be used with an index. */
function parsedListSql(parse: QualifiedName | null, list: string): string {
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

/** `*` is an alias of `%` in patterns, which needs no percent-encoding. */
export function toPattern(text: string): string {
  return text.replaceAll('*', '%')
}

/** `in.()` is an empty list, not a list of one empty string. */
export function listLiteral(values: string[]): string {
  return values.length === 1 && values[0] === '' ? '{}' : arrayLiteral(values)
}
