import type { Field, JsonStep } from './query.ts'
import type { Scanner } from './scanner.ts'

const INDEX = /-?\d+(?=->|::|[.,)]|$)/y
const KEY = /[^(\-:.,>)]+(?:-(?!>)[^(\-:.,>)]+)*/y

/** `->a->>0`: the steps from here on; none is an empty path. */
export function parseJsonPath(scan: Scanner): JsonStep[] {
  const path: JsonStep[] = []
  while (scan.sees('->')) {
    const asText = scan.eat('->>') || !scan.eat('->')
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

/** What begins with a dash could only have been a number. */
function failOperand(scan: Scanner): never {
  if (!scan.eat('-')) return scan.fail('"-", digit or any non reserved character different from: .,>()')
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
