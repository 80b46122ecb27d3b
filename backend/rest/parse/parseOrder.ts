import { parseField, parseJsonPath } from './parseField.ts'
import type { OrderTerm } from './query.ts'
import { Scanner } from './scanner.ts'

const DIRECTION = /\.(asc|desc)/y
const NULLS = /\.nulls(first|last)/y

/** Parses `order`: `name.desc.nullslast,data->>year,clients(name).asc`. */
export function parseOrder(text: string): OrderTerm[] {
  const scan = new Scanner(text, 'order')
  const terms: OrderTerm[] = []
  do terms.push(parseTerm(scan))
  while (scan.consume(','))
  return terms
}

function parseTerm(scan: Scanner): OrderTerm {
  scan.skipBlanks()
  const name = scan.name()
  let term: OrderTerm
  if (scan.consume('(')) {
    term = { relation: name, field: parseField(scan), direction: null, nulls: null }
    scan.expect(')')
  } else {
    term = { relation: null, field: { name, path: parseJsonPath(scan) }, direction: null, nulls: null }
  }
  scan.skipBlanks()
  term.direction = (scan.match(DIRECTION)?.[1] as 'asc' | 'desc' | undefined) ?? null
  term.nulls = (scan.match(NULLS)?.[1] as 'first' | 'last' | undefined) ?? null
  scan.skipBlanks()
  if (!scan.isAtEnd && scan.peek() !== ',') failTerm(scan, term)
  return term
}

function failTerm(scan: Scanner, { direction, nulls }: OrderTerm): never {
  if (nulls) return scan.failAtEnd('"," or end of input')
  if (!scan.consume('.')) return scan.failAtEnd('delimiter (.), "," or end of input')
  return scan.fail(`${direction ? '' : '"asc", "desc", '}"nullsfirst" or "nullslast"`)
}
