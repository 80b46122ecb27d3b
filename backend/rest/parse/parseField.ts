import type { Field, JsonStep } from './query.ts'
import type { Scanner } from './scanner.ts'

const INDEX = /-?\d+(?=->|::|[.,)]|$)/y
const KEY = /[^(\-:.,>)]+(?:-(?!>)[^(\-:.,>)]+)*/y

/** Parses `->a->>0`; an empty path if there is none. */
export function parseJsonPath(scan: Scanner): JsonStep[] {
  const path: JsonStep[] = []
  while (scan.startsWith('->')) {
    const asText = scan.consume('->>') || !scan.consume('->')
    const index = scan.match(INDEX)?.[0]
    if (index !== undefined) {
      path.push({ key: index, isIndex: true, asText })
      continue
    }
    const key = scan.quoted() ?? scan.match(KEY)?.[0].trim()
    if (key === undefined) failOperand(scan)
    path.push({ key, isIndex: false, asText })
  }
  return path
}

/** Fails in an operand; after a dash only a number is valid. */
function failOperand(scan: Scanner): never {
  if (!scan.consume('-')) return scan.fail('"-", digit or any non reserved character different from: .,>()')
  if (!scan.match(/\d+/y)) return scan.fail('digit')
  return scan.failAtEnd('digit, "->", "::", ".", "," or end of input')
}

/** A column with an optional JSON path: `data->author->>name`. */
export function parseField(scan: Scanner): Field {
  scan.skipBlanks()
  const field = { name: scan.name(), path: parseJsonPath(scan) }
  scan.skipBlanks()
  return field
}
