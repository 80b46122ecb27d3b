import { COMPARISONS, IS_VALUES, TEXT_SEARCHES } from './query.ts'
import type { Comparison, IsValue, Operand, Operation, TextSearch } from './query.ts'
import { Scanner } from './scanner.ts'

const OPERATOR = /(not\.)?([a-z]+)(?:\(([^()]*)\))?\./y
const LANGUAGE = /^[\p{L}\p{M}\p{N}_ $]+$/u
const LIST_ELEMENT = /[^,)]*/y
const PG_ARRAY = /\{[^{}]*\}(?=[,)]|$)/y
const QUANTIFIABLE = new Set(['eq', 'gte', 'gt', 'lte', 'lt', 'like', 'ilike', 'match', 'imatch'])

/** The part of a filter before its operand: `not.eq(any).`. */
export interface Operator {
  negated: boolean
  name: string
  /** The text in parentheses: a quantifier or a text search configuration. */
  modifier: string | null
  /** Start of the operand. */
  end: number
}

const PLAIN = new Set<string>([...COMPARISONS, ...TEXT_SEARCHES, 'in', 'is', 'isdistinct'])

function isTextSearch(name: string): name is TextSearch {
  return (TEXT_SEARCHES as readonly string[]).includes(name)
}

function allowsModifier(name: string, modifier: string): boolean {
  if (QUANTIFIABLE.has(name)) return modifier === 'any' || modifier === 'all'
  return isTextSearch(name) && LANGUAGE.test(modifier)
}

/** Parses the operator at `at`; null if there is none, or its modifier is invalid. */
export function readOperator(text: string, at = 0): Operator | null {
  OPERATOR.lastIndex = at
  const found = OPERATOR.exec(text)
  const name = found?.[2]
  if (!found || name === undefined) return null
  const modifier = found[3] ?? null
  if (modifier === null ? !PLAIN.has(name) : !allowsModifier(name, modifier)) return null
  return { negated: found[1] !== undefined, name, modifier, end: OPERATOR.lastIndex }
}

/** Throws PGRST100 for an invalid operator. */
export function failOperator(scan: Scanner): never {
  return scan.fail(scan.consume('not.') ? 'operator (eq, gt, ...)' : '"not" or operator (eq, gt, ...)')
}

/** Whether the operand is a value; that of `is` is part of the statement. */
export function takesValue(operator: Operator): boolean {
  return operator.name !== 'is'
}

/** The operation of an operator whose operand is the input at index `input`. */
export function operationOnInput(operator: Operator, input: number): Operation {
  return operator.name === 'in' ? { kind: 'in', operand: { input } } : operationOn(operator, { input })
}

function operationOn(operator: Operator, operand: Operand): Operation {
  const { name, modifier } = operator
  if (name === 'isdistinct') return { kind: 'isdistinct', operand }
  if (isTextSearch(name)) {
    return { kind: 'fts', search: name, language: modifier?.trim() ?? null, operand }
  }
  const quantifier = modifier as 'any' | 'all' | null
  return { kind: 'compare', operator: name as Comparison, quantifier, operand }
}

/** Parses the operand of `is`. */
export function parseIs(scan: Scanner): IsValue {
  const word = scan.match(/\w*/y)?.[0].toLowerCase() ?? ''
  const value = IS_VALUES.find((known) => known === word)
  if (value !== undefined) return value
  scan.at -= word.length
  return scan.fail('isVal: (null, not_null, true, false, unknown)')
}

/**
 * Parses an `in` list: `(a,"b,c",d)`. Like upstream, `()` is a list of one empty string, and blanks are part of an
 * element, except at the start of the list.
 */
export function parseList(scan: Scanner): string[] {
  scan.skipBlanks()
  scan.expect('(')
  scan.skipBlanks()
  const values: string[] = []
  do values.push(parseElement(scan, false))
  while (scan.consume(','))
  scan.expect(')')
  scan.skipBlanks()
  return values
}

/** Quotes count only if the element ends with them: `"a"b` is taken literally. */
function parseElement(scan: Scanner, allowArray: boolean): string {
  const start = scan.at
  if (scan.peek() === '"' && hasClosingQuote(scan)) {
    const value = scan.quoted()
    if (value !== null && (scan.isAtEnd || scan.peek() === ',' || scan.peek() === ')')) return value
    scan.at = start
  }
  if (allowArray) {
    const array = scan.match(PG_ARRAY)
    if (array) return array[0]
  }
  return scan.match(LIST_ELEMENT)?.[0] ?? ''
}

function hasClosingQuote(scan: Scanner): boolean {
  for (let at = scan.at + 1; at < scan.text.length; at++) {
    const character = scan.text[at]
    if (character === '\\') at++
    else if (character === '"') return true
  }
  return false
}

/** Parses `eq.5`, `not.in.(1,2)`, … in a logic group, where the operand ends at `,` or `)`. */
export function parseGroupedOperation(scan: Scanner): { negated: boolean; operation: Operation } {
  const operator = readOperator(scan.text, scan.at)
  if (!operator) return failOperator(scan)
  scan.at = operator.end
  const { negated } = operator
  if (operator.name === 'in')
    return { negated, operation: { kind: 'in', operand: { values: parseList(scan) } } }
  if (operator.name === 'is') return { negated, operation: { kind: 'is', value: parseIs(scan) } }
  return { negated, operation: operationOn(operator, { text: parseElement(scan, true) }) }
}

/** Parses an `in` operand that is an input. Throws PGRST100. */
export function parseInOperand(text: string): string[] {
  const scan = new Scanner(text, 'filter')
  const values = parseList(scan)
  if (!scan.isAtEnd) scan.fail('end of input')
  return values
}
