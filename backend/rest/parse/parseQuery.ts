import { parseJsonPath } from './parseField.ts'
import { failOperator, operationOnInput, parseIs } from './parseFilter.ts'
import { parseLogic } from './parseLogic.ts'
import { parseOrder } from './parseOrder.ts'
import { parseSelect } from './parseSelect.ts'
import type { EmbedPath, Field, Filter, Query } from './query.ts'
import { Scanner } from './scanner.ts'
import type { Part, SplitQuery } from './splitQuery.ts'

/**
 * Parses each parameter of a split query. With `allowArguments`, parameters without an operator are arguments of a
 * function (GET on rpc), else they are an error. Throws PGRST100.
 */
export function parseQuery(split: SplitQuery, allowArguments: boolean): Query {
  const query: Query = {
    select: [],
    filters: [],
    logic: [],
    order: [],
    ranges: [],
    onConflict: null,
    args: [],
    filterNames: new Set(),
  }
  let select: string | null = null
  for (const part of split.parts) {
    if (part.kind === 'structure') {
      if (part.name === 'select') select ??= part.value
      else addStructure(query, part.name, part.value)
    } else if (part.kind === 'filter') {
      query.filterNames.add(part.name)
      const { path, field } = parseTreePath(part.name)
      query.filters.push({ path, filter: parseFilterPart(part, field) })
    } else if (allowArguments) {
      query.args.push({ name: parseTreePath(part.name).field.name, input: part.input })
    } else {
      parseTreePath(part.name)
      failOperator(new Scanner(part.value, 'filter'))
    }
  }
  for (const [name, range] of split.ranges) query.ranges.push({ path: parseTreePath(name).path, range })
  query.select = parseSelect(select ?? '*')
  return query
}

/** The `columns` of a write, with which its body isn't parsed; null if absent. Throws PGRST100. */
export function parseColumns(split: SplitQuery): string[] | null {
  const part = split.parts.find(({ kind, name }) => kind === 'structure' && name === 'columns')
  return part ? parseNames(part.value, 'columns parameter') : null
}

function addStructure(query: Query, name: string, value: string): void {
  if (name === 'columns') return
  if (name === 'on_conflict') query.onConflict ??= parseNames(value, 'on_conflict parameter')
  else if (name === 'order' || name.endsWith('.order')) {
    query.order.push({ path: parseTreePath(name).path, terms: parseOrder(value) })
  } else query.logic.push(parseLogic(name, value))
}

function parseFilterPart(part: Extract<Part, { kind: 'filter' }>, field: Field): Filter {
  const { operator } = part
  if (operator.name !== 'is') {
    return {
      kind: 'filter',
      field,
      negated: operator.negated,
      operation: operationOnInput(operator, part.input),
    }
  }
  const scan = new Scanner(part.value, 'filter')
  scan.at = operator.end
  const value = parseIs(scan)
  if (!scan.isAtEnd) scan.fail('end of input')
  return { kind: 'filter', field, negated: operator.negated, operation: { kind: 'is', value } }
}

/** Parses `child.grandchild.data->>key`: names of embeds, then a field. */
function parseTreePath(name: string): { path: EmbedPath; field: Field } {
  const scan = new Scanner(name, 'tree path')
  const names = [scan.name()]
  while (scan.consume('.')) names.push(scan.name())
  const path = parseJsonPath(scan)
  if (!scan.isAtEnd) scan.fail('"->>", "->", "." or end of input')
  return { path: names, field: { name: names.pop()!, path } }
}

/** A list of column names: `columns=a,b`. */
function parseNames(text: string, subject: string): string[] {
  const scan = new Scanner(text, subject)
  const names: string[] = []
  do {
    scan.skipBlanks()
    names.push(scan.name())
    scan.skipBlanks()
  } while (scan.consume(','))
  if (!scan.isAtEnd) scan.fail('"," or end of input')
  return [...new Set(names)]
}
