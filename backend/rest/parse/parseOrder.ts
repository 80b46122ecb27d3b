import { parseField, parseJsonPath } from './parseField.ts'
import type { OrderTerm } from './query.ts'
import { Scanner } from './scanner.ts'

const DIRECTION = /\.(asc|desc)(?=[.,\s]|$)/y
const NULLS = /\.nulls(first|last)(?=[,\s]|$)/y

/** Parses `order`: `name.desc.nullslast,data->>year,clients(name).asc`. */
export function parseOrder(text: string): OrderTerm[] {
  const scan = new Scanner(text, 'order')
  const terms: OrderTerm[] = []
  do terms.push(parseTerm(scan))
  while (scan.eat(','))
  if (!scan.ended) scan.fail('"," or end of input')
  return terms
}

function parseTerm(scan: Scanner): OrderTerm {
  scan.skipBlanks()
  const name = scan.name()
  let term: OrderTerm
  if (scan.eat('(')) {
    term = { relation: name, field: parseField(scan), direction: null, nulls: null }
    scan.expect(')')
  } else {
    term = { relation: null, field: { name, path: parseJsonPath(scan) }, direction: null, nulls: null }
  }
  scan.skipBlanks()
  term.direction = (scan.match(DIRECTION)?.[1] as 'asc' | 'desc' | undefined) ?? null
  term.nulls = (scan.match(NULLS)?.[1] as 'first' | 'last' | undefined) ?? null
  scan.skipBlanks()
  if (!scan.ended && scan.peek() !== ',') {
    scan.fail(term.direction ? '"nullsfirst" or "nullslast"' : '"asc", "desc", "nullsfirst" or "nullslast"')
  }
  return term
}
