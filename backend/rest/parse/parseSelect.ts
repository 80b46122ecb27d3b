import { parseJsonPath } from './parseField.ts'
import type { Aggregate, SelectedEmbed, SelectedField, SelectItem } from './query.ts'
import { MAX_DEPTH, Scanner } from './scanner.ts'

const FIELD_CONTINUATION = 'letter, digit, "-", "->>", "->", "::", ".", ")", "," or end of input'
const AGGREGATE = /\.(sum|avg|count|max|min)\(\)/y

/**
 * Each embed adds a join, and the memory of PostgreSQL's planner grows with the square of their number: 200 need 60 MB,
 * 2,000 more than a gigabyte, and the statement timeout does not interrupt planning.
 */
const MAX_EMBEDS = 200

/**
 * Parses `select`: fields with alias, JSON path, cast and aggregate, and embeds with hints, to a limited depth. Text after
 * a complete list, such as an extra parenthesis, is ignored like upstream: it can't select more.
 */
export function parseSelect(text: string): SelectItem[] {
  const scan = new Scanner(text, 'select parameter')
  const items = parseItems(scan, 0)
  if (countEmbeds(items) > MAX_EMBEDS) scan.fail(`at most ${MAX_EMBEDS} embeds`)
  return items
}

function countEmbeds(items: SelectItem[]): number {
  let count = 0
  for (const item of items) if (item.kind === 'embed') count += 1 + countEmbeds(item.items)
  return count
}

function parseItems(scan: Scanner, depth: number): SelectItem[] {
  if (depth > MAX_DEPTH) scan.fail(`at most ${MAX_DEPTH} levels of embedding`)
  const items: SelectItem[] = []
  scan.skipBlanks()
  if (scan.isAtEnd || scan.peek() === ')') return items
  do items.push(parseItem(scan, depth))
  while (scan.consume(','))
  return items
}

function parseItem(scan: Scanner, depth: number): SelectItem {
  scan.skipBlanks()
  if (scan.consume('...')) return parseEmbed(scan, scan.name(), null, true, depth)
  if (scan.consume('*')) return endOfItem(scan, selectedField('*', null), '")", "," or end of input')
  let name = scan.name()
  let alias: string | null = null
  if (scan.peek() === ':' && !scan.startsWith('::')) {
    scan.at++
    alias = name
    name = scan.name()
  }
  if (name === 'count' && scan.consume('()')) {
    const count = { ...selectedField('*', alias), aggregate: 'count' as const }
    return endOfItem(scan, { ...count, aggregateCast: parseCast(scan) })
  }
  if (scan.peek() === '(' || scan.peek() === '!') return parseEmbed(scan, name, alias, false, depth)
  const field = selectedField(name, alias)
  field.field.path = parseJsonPath(scan)
  field.cast = parseCast(scan)
  field.aggregate = (scan.match(AGGREGATE)?.[1] as Aggregate | undefined) ?? null
  if (field.aggregate) field.aggregateCast = parseCast(scan)
  return endOfItem(scan, field)
}

function selectedField(name: string, alias: string | null): SelectedField {
  return { kind: 'field', field: { name, path: [] }, alias, cast: null, aggregate: null, aggregateCast: null }
}

/** Parses `::type`. The type is an unquoted identifier, since quoting would change the meaning of `int`. */
function parseCast(scan: Scanner): string | null {
  return scan.consume('::') ? scan.identifier() : null
}

function endOfItem(scan: Scanner, item: SelectedField, expecting = FIELD_CONTINUATION): SelectedField {
  scan.skipBlanks()
  if (!scan.isAtEnd && scan.peek() !== ',' && scan.peek() !== ')') scan.failAtEnd(expecting)
  return item
}

function parseEmbed(
  scan: Scanner,
  relation: string,
  alias: string | null,
  spread: boolean,
  depth: number,
): SelectedEmbed {
  const embed: SelectedEmbed = { kind: 'embed', relation, alias, hint: null, join: null, spread, items: [] }
  for (let modifiers = 0; modifiers < 2 && scan.consume('!'); modifiers++) {
    const modifier = scan.name()
    if (modifier === 'inner' || modifier === 'left') embed.join ??= modifier
    else embed.hint ??= modifier
  }
  scan.expect('(')
  embed.items = parseItems(scan, depth + 1)
  scan.expect(')')
  scan.skipBlanks()
  return embed
}
