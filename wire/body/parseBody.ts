import { matchAt } from './addresses.ts'
import { hasMention, withoutEscapedMentions } from './escapeMentions.ts'
import { parseCode, parseInlines, type InlineContext, type NodeBudget, type Run } from './parseInlines.ts'
import type { Alignment, Block, List, ListItem, Table, TableCell } from './tree.ts'

/** Maximum depth of nested quotes and lists. Deeper ones are text. */
const MAX_DEPTH = 20
/** Maximum number of nodes of a message: each costs the page of every reader time. */
const MAX_NODES = 6_000
/** Maximum number of mentions in a message with more nodes. */
const MAX_NODES_OF_CODE = 500

/** "/me waves": a message that is shown as what its author does, "Ann waves". */
const ACTION = /^\/me[ \t]+(?=\S)/

/** Whether a message is shown as what its author does. */
export function isAction(body: string): boolean {
  return ACTION.test(body)
}

/**
 * The blocks of a message (docs/formatting.md). The time is linear in the length of the text. A message with too many nodes
 * is one block of code.
 */
export function parseBody(body: string): Block[] {
  const budget = { nodesLeft: MAX_NODES }
  try {
    return new BlockParser(body, budget).parse()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [wholeAsCode(body)]
  }
}

function wholeAsCode(body: string): Block {
  const range = { start: 0, end: body.length }
  const run = { text: body, sourceAt: (at: number) => at }
  const block = { type: 'codeBlock', language: '', info: '', ...range } as const
  try {
    return { ...block, children: parseCode(run, { budget: { nodesLeft: MAX_NODES_OF_CODE } }) }
  } catch {
    return { ...block, children: [{ type: 'text', text: body, ...range }] }
  }
}

/** A line without the signs of the quotes and list items that contain it. */
interface Line {
  /** Where it begins in the source. */
  from: number
  /** Its first character that is no blank; its end if there is none. */
  start: number
  /** The end of its last character that is no blank. */
  end: number
  /** The end of the line. */
  last: number
  /** Columns of blanks at its beginning. */
  indent: number
}

interface Marker {
  /** The last sign: lists have items with the same. */
  kind: string
  text: string
  number: number | null
  /** Where the content begins. */
  content: number
}

const FENCE = /(`{3,}|~{3,})[ \t]*([^\r\n]*)/y
/** A language, perhaps with what other tools write behind it: "js{1,3}", `js title="a"`. Other text is the first line of the code. */
const INFO = /^([^\s,{`]*)(?:[\s,]*\{.*|[\s,]+[\w-]+=.*)?$/
const QUOTE = />+(?=\s|$)/y
/** A quote begins with a line that has text. */
const QUOTE_START = />+[ \t][> \t]*[^\s>]/y
const HEADING = /(#{1,6})[ \t]+(?=\S)/y
/** "# of attendees: 5" has a sign for "number". */
const NUMBER_SIGN = /#[ \t]+of\s/iy
const RULE = /^(?:-[ \t]*-[ \t]*-[ \t-]*|\*[ \t]*\*[ \t]*\*[ \t*]*|_[ \t]*_[ \t]*_[ \t_]*)$/
const MARKER = /([-*]|(0|[1-9]\d{0,8})(\\*)[.)])[ \t]+(?=\S)/y
const EMPTY_MARKER = /^([-*]|(0|[1-9]\d{0,8})[.)])$/
const TASK = /\[([ xX])\][ \t]+(?=\S)/y
const DELIMITER_ROW = /^[|: \t-]*$/
const DELIMITER = /^:?-+:?$/
const FORMULA_BLOCK = /\$\$([^$]{1,1998})\$\$[ \t]*(?=[\r\n]|$)/y
/** A backslash at the beginning of a line, before what would begin a block there. */
const ESCAPED_BLOCK = /(\\+)[-*_#>`~|$:]/y

class BlockParser {
  readonly #source: string
  readonly #context: InlineContext & { budget: NodeBudget }
  /** How often each line of a task was seen before. */
  readonly #tasks = new Map<string, number>()

  constructor(source: string, budget: NodeBudget) {
    this.#source = source
    this.#context = { budget }
  }

  parse(): Block[] {
    const lines: Line[] = []
    for (const { 0: line, index } of this.#source.matchAll(/[^\r\n]*(?:\r\n|\r|\n|$)/g)) {
      if (line === '' && index > 0) break
      lines.push(this.#line(index, index + line.replace(/[\r\n]+$/, '').length))
    }
    return this.#blocks(lines, 0)
  }

  #line(from: number, last: number): Line {
    const source = this.#source
    let start = from
    let indent = 0
    for (; start < last && isIndentation(source[start]!); start += 1)
      indent = columnAfter(indent, source[start]!)
    let end = last
    while (end > start && isIndentation(source[end - 1]!)) end -= 1
    return { from, start, end, last, indent }
  }

  /** The line without so many columns of blanks. */
  #unindent({ from, start, last }: Line, columns: number): Line {
    let indent = 0
    while (from < start && indent < columns) indent = columnAfter(indent, this.#source[from++]!)
    return this.#line(from, last)
  }

  #text(line: Line): string {
    return this.#source.slice(line.start, line.end)
  }

  #count(): void {
    this.#context.budget.nodesLeft -= 1
    if (this.#context.budget.nodesLeft < 0) throw new RangeError('The text has too many nodes.')
  }

  #blocks(lines: readonly Line[], depth: number): Block[] {
    const blocks: Block[] = []
    let at = 0
    while (at < lines.length) {
      if (isEmpty(lines[at]!)) {
        at += 1
        continue
      }
      this.#count()
      const read = this.#readBlock(lines, at, depth)
      if (read) {
        blocks.push(read.block)
        at = read.next
        continue
      }
      const first = at
      at += 1
      while (at < lines.length && !isEmpty(lines[at]!) && !this.#beginsBlock(lines, at, depth)) at += 1
      blocks.push(this.#paragraph(lines.slice(first, at), depth))
    }
    return blocks
  }

  #paragraph(lines: Line[], depth: number): Block {
    const { start } = lines[0]!
    const escapes = lines.map((_line, at) => this.#blockEscape(lines, at, depth))
    const isAction = start === 0 && depth === 0 && ACTION.test(this.#source)
    const children = parseInlines(this.#run(lines, escapes), { ...this.#context, isAction })
    return { type: 'paragraph', children, start, end: lines.at(-1)!.end }
  }

  /** Where a line has a backslash that only prevents a block; -1: nowhere. */
  #blockEscape(lines: Line[], at: number, depth: number): number {
    const line = lines[at]!
    const found = matchAt(ESCAPED_BLOCK, this.#source, line.start)
    if (!found) {
      const marker = matchAt(MARKER, this.#source, line.start)
      return marker?.[3] === '\\' && depth < MAX_DEPTH ? line.start + marker[2]!.length : -1
    }
    if (found[1]!.length > 1) return -1
    const unescaped = this.#line(line.start + 1, line.last)
    // In place: a copy of the lines for each of them would take quadratic time.
    lines[at] = unescaped
    const isBlock =
      this.#beginsBlock(lines, at, depth) ||
      (at > 0 && this.#columnsAt(lines, at - 1) !== null) ||
      (lines.length === 1 && RULE.test(this.#text(unescaped))) ||
      (at === 0 && matchAt(HEADING, this.#source, unescaped.start) !== null)
    lines[at] = line
    return isBlock ? line.start : -1
  }

  /** The lines as one text, without their indentation and without some characters of the source. */
  #run(lines: readonly Line[], without: readonly number[] = []): Run {
    const source = this.#source
    const texts: string[] = []
    /** Pairs of where a range begins in the text, and in the source. */
    const starts: number[] = []
    let length = 0
    const add = (from: number, to: number, end: string): void => {
      starts.push(length, from)
      texts.push(source.slice(from, to) + end)
      length += to - from + end.length
    }
    for (const [at, { start, end }] of lines.entries()) {
      const lineFeed = at < lines.length - 1 ? '\n' : ''
      const hole = without[at] ?? -1
      if (hole >= 0) {
        if (hole > start) add(start, hole, '')
        add(hole + 1, end, lineFeed)
      } else add(start, end, lineFeed)
    }
    return { text: texts.join(''), sourceAt: positionsOf(starts) }
  }

  #beginsBlock(lines: readonly Line[], at: number, depth: number): boolean {
    const sign = this.#source[lines[at]!.start]!
    return (
      ((sign === '`' || sign === '~') && this.#fenceAt(lines, at) !== null) ||
      (sign === '>' && depth < MAX_DEPTH && matchAt(QUOTE_START, this.#source, lines[at]!.start) !== null) ||
      (sign === '$' && this.#formulaAt(lines, at) !== null) ||
      (sign === '#' && (this.#headingAt(lines, at) ?? 0) > 1) ||
      (depth < MAX_DEPTH && this.#beginsList(lines, at)) ||
      this.#columnsAt(lines, at) !== null
    )
  }

  #readBlock(lines: readonly Line[], at: number, depth: number): { block: Block; next: number } | null {
    const rule = this.#readRule(lines, at)
    if (rule) return rule
    if (this.#headingAt(lines, at)) return this.#readHeading(lines, at)
    if (!this.#beginsBlock(lines, at, depth)) return null
    if (this.#fenceAt(lines, at)) return this.#readCode(lines, at)
    const formula = this.#formulaAt(lines, at)
    if (formula) return formula
    if (depth < MAX_DEPTH && matchAt(QUOTE_START, this.#source, lines[at]!.start))
      return this.#readQuote(lines, at, depth)
    if (depth < MAX_DEPTH && this.#beginsList(lines, at)) return this.#readList(lines, at, depth)
    return this.#readTable(lines, at)
  }

  /** A line of dashes alone, without text around it: in "Regards⏎--⏎Ann" they belong to the text. */
  #readRule(lines: readonly Line[], at: number): { block: Block; next: number } | null {
    const { start, end } = lines[at]!
    if (!RULE.test(this.#source.slice(start, end))) return null
    const isAlone = (other: Line | undefined) => other === undefined || isEmpty(other)
    if (!isAlone(lines[at - 1]) || !isAlone(lines[at + 1])) return null
    return { block: { type: 'rule', start, end }, next: at + 1 }
  }

  /**
   * The level of a heading; null if a line is none. A heading has something below it that is no heading of its level. One
   * sign is a heading only behind an empty line: elsewhere it begins a comment, or means "number".
   */
  #headingAt(lines: readonly Line[], at: number): number | null {
    const { start } = lines[at]!
    const found = matchAt(HEADING, this.#source, start)
    if (!found || matchAt(NUMBER_SIGN, this.#source, start)) return null
    let below = at + 1
    while (below < lines.length && isEmpty(lines[below]!)) below += 1
    if (below === lines.length) return null
    const level = found[1]!.length
    const next = matchAt(HEADING, this.#source, lines[below]!.start)
    return next && next[1]!.length <= level ? null : level
  }

  #readHeading(lines: readonly Line[], at: number): { block: Block; next: number } {
    const line = lines[at]!
    const [signs, { length: level }] = matchAt(HEADING, this.#source, line.start) as unknown as [
      string,
      string,
    ]
    const content = { ...line, start: line.start + signs.length }
    const children = parseInlines(this.#run([content]), this.#context)
    return { block: { type: 'heading', level, children, start: line.start, end: line.end }, next: at + 1 }
  }

  /** The sign and text of an opening fence, and its language, if the text is one; null if a line has none. */
  #fenceAt(
    lines: readonly Line[],
    at: number,
  ): { fence: string; info: string; language: string | null } | null {
    const found = matchAt(FENCE, this.#source, lines[at]!.start)
    if (!found) return null
    const [, fence = '', rest = ''] = found
    // Code within the line.
    if (fence.startsWith('`') && rest.includes('`')) return null
    const info = rest.trim()
    // A mention is displayed wherever it stands.
    const language = hasMention(info) ? null : (INFO.exec(info)?.[1]?.toLowerCase() ?? null)
    // Signs without code are text, as is text between tildes.
    const isText = language === null ? fence.startsWith('~') : at === lines.length - 1
    return isText ? null : { fence, info, language }
  }

  /** Code ends at a fence that is at least as long, also at the end of a line: "let a```". */
  #readCode(lines: readonly Line[], at: number): { block: Block; next: number } {
    const first = lines[at]!
    const { fence, info, language } = this.#fenceAt(lines, at)!
    const code: Line[] = []
    if (language === null) {
      const [whole] = matchAt(FENCE, this.#source, first.start)!
      const { start } = this.#line(first.start + whole.indexOf(info, fence.length), first.last)
      code.push({ ...first, from: start, start, indent: 0 })
    }
    let next = at + 1
    let end = first.end
    while (next < lines.length) {
      const line = lines[next]!
      next += 1
      end = Math.max(line.end, end)
      const text = this.#text(line)
      const length = runAtEnd(text, fence[0]!)
      if (length >= fence.length && length === text.length) break
      const unindented = this.#unindent(line, first.indent)
      if (length >= fence.length && fence[0] === '`' && !text.slice(0, -length).includes('```')) {
        code.push({ ...unindented, last: line.end - length })
        break
      }
      code.push(unindented)
    }
    // Code has its blanks.
    for (const line of code) Object.assign(line, { start: line.from, end: line.last })
    const children = parseCode(this.#run(code), this.#context)
    const range = { start: first.start, end }
    return {
      block: {
        type: 'codeBlock',
        language: language ?? '',
        info: language === null ? '' : info,
        children,
        ...range,
      },
      next,
    }
  }

  /** Only lines with the sign belong to a quote. */
  #readQuote(lines: readonly Line[], at: number, depth: number): { block: Block; next: number } {
    const inner: Line[] = []
    let next = at
    while (next < lines.length && matchAt(QUOTE, this.#source, lines[next]!.start)) {
      const { start, last } = lines[next]!
      const from = start + (this.#source[start + 1] === ' ' && start + 1 < last ? 2 : 1)
      inner.push(this.#line(from, last))
      next += 1
    }
    const range = { start: lines[at]!.start, end: lines[next - 1]!.end }
    const children = this.#blocks(inner, depth + 1)
    return { block: { type: 'quote', children, ...range }, next }
  }

  /** `$$TeX$$` in one or several lines that contain nothing else. */
  #formulaAt(lines: readonly Line[], at: number): { block: Block; next: number } | null {
    const { start } = lines[at]!
    const found = matchAt(FORMULA_BLOCK, this.#source, start)
    const text = found?.[1]
    if (!found || text === undefined || text.trim() === '' || hasMention(text)) return null
    const end = start + found[0].trimEnd().length
    let next = at
    while (next < lines.length && lines[next]!.end < end) next += 1
    if (lines[next]?.end !== end) return null
    return {
      block: { type: 'formulaBlock', text: withoutEscapedMentions(text), start, end },
      next: next + 1,
    }
  }

  #markerAt(line: Line): Marker | null {
    const found = matchAt(MARKER, this.#source, line.start)
    if (!found || found[3]) return null
    const [whole, text = '', number] = found
    return {
      kind: text.at(-1)!,
      text,
      number: number === undefined ? null : Number(number),
      content: line.start + whole.length,
    }
  }

  /** Numbers make a list if the first is 1, or the next item has the next number: "1986. A year" is text. */
  #beginsList(lines: readonly Line[], at: number): boolean {
    const line = lines[at]!
    const marker = this.#markerAt(line)
    if (!marker) return false
    if (marker.number === null || marker.number === 1) return true
    let next = at + 1
    while (next < lines.length && (isEmpty(lines[next]!) || lines[next]!.indent >= line.indent + 2)) next += 1
    const sibling = next < lines.length ? this.#markerAt(lines[next]!) : null
    return sibling?.kind === marker.kind && sibling.number === marker.number + 1
  }

  #readList(lines: readonly Line[], at: number, depth: number): { block: List; next: number } {
    const { kind, number } = this.#markerAt(lines[at]!)!
    const items: ListItem[] = []
    let next = at
    let end = lines[at]!.end
    while (next < lines.length) {
      const line = lines[next]!
      const marker = this.#markerAt(line) ?? (next > at ? this.#emptyMarkerAt(line) : null)
      if (marker?.kind !== kind) break
      this.#count()
      const content = [this.#line(marker.content, line.last)]
      let after = next + 1
      let lastLine = line
      for (;;) {
        let filled = after
        while (filled < lines.length && isEmpty(lines[filled]!)) filled += 1
        if (filled === lines.length || lines[filled]!.indent < line.indent + 2) {
          next = filled
          break
        }
        for (; after < filled; after += 1) content.push(lines[after]!)
        lastLine = lines[filled]!
        content.push(this.#unindent(lastLine, line.indent + marker.content - line.start))
        after = filled + 1
      }
      end = lastLine.end
      items.push(this.#item(line, marker, content, end, depth))
    }
    // Empty lines behind the list are none of its items.
    while (isEmpty(lines[next - 1]!)) next -= 1
    return { block: { type: 'list', isOrdered: number !== null, items, start: lines[at]!.start, end }, next }
  }

  #emptyMarkerAt(line: Line): Marker | null {
    const found = EMPTY_MARKER.exec(this.#text(line))
    if (!found) return null
    const [text] = found
    return { kind: text.at(-1)!, text, number: found[2] ? Number(found[2]) : null, content: line.end }
  }

  #item(line: Line, marker: Marker, content: Line[], end: number, depth: number): ListItem {
    const box = matchAt(TASK, this.#source, content[0]!.start)
    let task = null
    if (box) {
      const text = this.#text(line)
      const before = this.#tasks.get(text) ?? 0
      this.#tasks.set(text, before + 1)
      task = { isDone: box[1] !== ' ', line: `${before} ${text}` }
      content[0] = this.#line(content[0]!.start + box[0].length, line.last)
    }
    const children = this.#blocks(content, depth + 1)
    return { marker: marker.text, number: marker.number, task, children, start: line.start, end }
  }

  /** The alignments of a table whose first row is a line; null if it is none. */
  #columnsAt(lines: readonly Line[], at: number): Alignment[] | null {
    const below = lines[at + 1]
    if (!below || isEmpty(below) || !/[|:-]/.test(this.#source[below.start]!)) return null
    const delimiters = this.#text(below)
    if (!delimiters.includes('|') || !DELIMITER_ROW.test(delimiters)) return null
    if (!this.#text(lines[at]!).includes('|')) return null
    const cells = this.#cells(below).map((cell) => this.#text(cell))
    if (!cells.every((text) => DELIMITER.test(text))) return null
    const alignments = cells.map((text): Alignment => {
      if (text.startsWith(':')) return text.endsWith(':') ? 'center' : 'start'
      return text.endsWith(':') ? 'end' : null
    })
    return this.#cells(lines[at]!).length === alignments.length ? alignments : null
  }

  #readTable(lines: readonly Line[], at: number): { block: Table; next: number } {
    const alignments = this.#columnsAt(lines, at)!
    const rowOf = (line: Line): TableCell[] => this.#row(line, alignments.length)
    const header = rowOf(lines[at]!)
    const rows: TableCell[][] = []
    let next = at + 2
    while (next < lines.length && this.#text(lines[next]!).includes('|')) {
      rows.push(rowOf(lines[next]!))
      next += 1
    }
    const range = { start: lines[at]!.start, end: lines[next - 1]!.end }
    return { block: { type: 'table', alignments, header, rows, ...range }, next }
  }

  #row(line: Line, columns: number): TableCell[] {
    const cells = this.#cells(line)
    // The last cell has the text of cells without a column.
    if (cells.length > columns)
      cells.splice(columns - 1, Infinity, { ...cells[columns - 1]!, end: cells.at(-1)!.end })
    return Array.from({ length: columns }, (_, column) => {
      this.#count()
      const cell = cells[column]
      if (!cell) return { children: [], start: line.end, end: line.end }
      const children = parseInlines(this.#run([cell]), { ...this.#context, isCell: true })
      return { children, start: cell.start, end: cell.end }
    })
  }

  /** What is between the signs of a row. */
  #cells(line: Line): Line[] {
    const source = this.#source
    const cells: Line[] = []
    let from = line.start + (source[line.start] === '|' ? 1 : 0)
    for (let at = from; at < line.end; at += 1) {
      if (source[at] === '\\') at += 1
      else if (source[at] === '|') {
        cells.push(this.#line(from, at))
        from = at + 1
      }
    }
    if (from < line.end || cells.length === 0) cells.push(this.#line(from, line.end))
    return cells
  }
}

function isEmpty(line: Line): boolean {
  return line.start === line.end
}

function isIndentation(character: string): boolean {
  return character === ' ' || character === '\t'
}

function columnAfter(column: number, character: string): number {
  return character === '\t' ? column + 4 - (column % 4) : column + 1
}

/** The number of equal signs at the end of a text. */
function runAtEnd(text: string, sign: string): number {
  let length = 0
  while (text[text.length - 1 - length] === sign) length += 1
  return length
}

/** Where characters of a text are in the source. `starts`: where each range begins in the text, and in the source. */
function positionsOf(starts: readonly number[]): (at: number) => number {
  if (starts.length === 2) {
    const offset = starts[1]!
    return (at) => at + offset
  }
  // Nodes are created from left to right, or near each other.
  let range = 0
  return (at) => {
    while (range > 0 && starts[range]! > at) range -= 2
    while (range + 2 < starts.length && starts[range + 2]! <= at) range += 2
    return starts[range + 1]! + at - starts[range]!
  }
}
