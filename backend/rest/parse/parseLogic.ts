import { parseField } from './parseField.ts'
import { parseGroupedOperation } from './parseFilter.ts'
import type { EmbedPath, LogicTree } from './query.ts'
import { MAX_DEPTH, NAME_EXPECTED, Scanner } from './scanner.ts'

const GROUP = /(not\.)?(and|or)[ \t]*\(/y

/** Parses `or=(a.eq.1,not.and(b.gt.2,c.is.null))`; the operator is part of the parameter's name. */
export function parseLogic(name: string, value: string): { path: EmbedPath; tree: LogicTree } {
  const { path, operator } = parseLogicName(name)
  const scan = new Scanner(operator + value, 'logic tree', value)
  const tree = parseTree(scan, 0)
  // Extra parentheses are ignored, like upstream. It also ignores other text, which could have been a condition.
  scan.match(/[ \t)]*/y)
  if (!scan.isAtEnd) scan.fail('end of input')
  return { path, tree }
}

/** `child.not.or` is the group `not.or` of the embed `child`. */
function parseLogicName(name: string): { path: EmbedPath; operator: string } {
  const scan = new Scanner(name, 'logic path')
  const parts = [scan.name()]
  while (scan.consume('.')) parts.push(scan.name())
  if (!scan.isAtEnd) scan.fail('"."')
  const operator = parts.pop()!
  const path = parts.filter((part) => part !== 'not')
  return { path, operator: path.length < parts.length ? `not.${operator}` : operator }
}

function parseTree(scan: Scanner, depth: number): LogicTree {
  if (depth > MAX_DEPTH) scan.fail(`at most ${MAX_DEPTH} levels of logic`)
  scan.skipBlanks()
  const group = scan.match(GROUP)
  if (!group) {
    if (!scan.startsWithName())
      scan.fail(`${NAME_EXPECTED}, negation operator (not) or logic operator (and, or)`)
    const field = parseField(scan)
    scan.expect('.')
    return { kind: 'filter', field, ...parseGroupedOperation(scan) }
  }
  const items: LogicTree[] = []
  do {
    items.push(parseTree(scan, depth + 1))
    scan.skipBlanks()
  } while (scan.consume(','))
  scan.expect(')')
  scan.skipBlanks()
  return { kind: group[2] as 'and' | 'or', negated: group[1] !== undefined, items }
}
