import { parseJsonPath } from './parseField.ts'
import type { Aggregate, SelectedEmbed, SelectedField, SelectItem } from './query.ts'
import { MAX_DEPTH, Scanner } from './scanner.ts'

const MORE_OF_A_FIELD = 'letter, digit, "-", "->>", "->", "::", ".", ")", "," or end of input'
const AGGREGATE = /\.(sum|avg|count|max|min)\(\)/y

/**
 * Each is one join more, and what PostgreSQL needs to plan them grows with their square: two hundred take it
 * 60 MB, two thousand more than a gigabyte, which no timeout of a statement interrupts.
 */
const MOST_EMBEDS = 200

/**
 * Parses `select`: fields with alias, JSON path, cast and aggregate, and embeds with hints, to any sane depth. What
 * follows a whole list, as one parenthesis too many, is left unread: upstream does, and it can't widen an answer.
 */
export function parseSelect(text: string): SelectItem[] {
  const scan = new Scanner(text, 'select parameter')
  const items = parseItems(scan, 0)
  if (embedsIn(items) > MOST_EMBEDS) scan.fail(`at most ${MOST_EMBEDS} embeds`)
  return items
}

function embedsIn(items: SelectItem[]): number {
  let count = 0
  for (const item of items) if (item.kind === 'embed') count += 1 + embedsIn(item.items)
  return count
}

function parseItems(scan: Scanner, depth: number): SelectItem[] {
  if (depth > MAX_DEPTH) scan.fail(`at most ${MAX_DEPTH} levels of embedding`)
  const items: SelectItem[] = []
  scan.skipBlanks()
  if (scan.ended || scan.peek() === ')') return items
  do items.push(parseItem(scan, depth))
  while (scan.eat(','))
  return items
}

function parseItem(scan: Scanner, depth: number): SelectItem {
  scan.skipBlanks()
  if (scan.eat('...')) return parseEmbed(scan, scan.name(), null, true, depth)
  if (scan.eat('*')) return endOfItem(scan, selectedField('*', null), '")", "," or end of input')
  let name = scan.name()
  let alias: string | null = null
  if (scan.peek() === ':' && !scan.sees('::')) {
    scan.at++
    alias = name
    name = scan.name()
  }
  if (name === 'count' && scan.eat('()')) {
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

/** `::type`. The type is a bare identifier, since quoting would turn `int` into another name. */
function parseCast(scan: Scanner): string | null {
  return scan.eat('::') ? scan.identifier() : null
}

function endOfItem(scan: Scanner, item: SelectedField, expecting = MORE_OF_A_FIELD): SelectedField {
  scan.skipBlanks()
  if (!scan.ended && scan.peek() !== ',' && scan.peek() !== ')') scan.failAtEnd(expecting)
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
  for (let modifiers = 0; modifiers < 2 && scan.eat('!'); modifiers++) {
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
