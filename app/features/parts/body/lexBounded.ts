import { Lexer, type MarkedOptions, type Token, type TokensList } from 'marked'

/**
 * Characters of a run that are lexed at once: some rules of Markdown are quadratic in its length. Texts with so many
 * marks that this is too slow are lexed in shorter chunks, which emphasis and links do not cross.
 */
const RUN_LENGTHS = [1_000, 500, 250, 125]
/** Maximum depth of nested tokens: browsers can't render an unbounded tree. */
const MAX_DEPTH = 100
/** Maximum depth of nested quotes and list items. The lexer scans the rest of a text again at each level. */
const MAX_NESTED_BLOCKS = 50
/** Maximum number of quotes and list items. A line can contain many that are nested. */
const MAX_BLOCKS = 2_000
/** Maximum number of lines. Blocks cost the lexer and the browser far more than characters do. */
const MAX_LINES = 1_000
/**
 * Maximum number of rows that could be the delimiter of a table: for each, the lexer scans the rest of the text.
 * Rules below an empty line don't count.
 */
const MAX_TABLES = 50
const TABLE_DELIMITER = /^ {0,3}[|:-][|: -]*$/
const LIST_MARKER = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/
/** Sum over list items of their lines times their characters: for each line, the lexer scans the rest of its item. */
const MAX_ITEM_COST = 5_000_000
/** Sum of the squared number of marks in each chunk: the lexer compares the marks of a chunk with each other. */
const MAX_MARK_PAIRS = 80_000
const MARKS = /[*_~`[\]<!&\\|$]/g
/** The lexer searches from each of these backwards and forwards, for addresses to link. */
const ADDRESSES = /@|www\.|:\/\//g

/** Throws a RangeError as soon as a text has too many blocks or levels of blocks, before it lexes the rest. */
class BoundedLexer extends Lexer {
  #depth = -1
  #blocks = 0

  override blockTokens(source: string, tokens?: Token[], isLastParagraphClipped?: boolean): TokensList
  override blockTokens(source: string, tokens?: Token[], isLastParagraphClipped?: boolean): Token[]
  override blockTokens(source: string, tokens?: Token[], isLastParagraphClipped?: boolean): Token[] {
    if (this.#depth === MAX_NESTED_BLOCKS || this.#blocks > MAX_BLOCKS)
      throw new RangeError('The text has too many blocks.')
    this.#depth += 1
    this.#blocks += 1
    try {
      return super.blockTokens(source, tokens, isLastParagraphClipped)
    } finally {
      this.#depth -= 1
    }
  }
}

/**
 * Lexes Markdown at a bounded cost: long runs are lexed in chunks. Null if quotes, lists, lines, tables or emphasis
 * exceed a limit: one such message must not block the page of everyone who opens its channel.
 */
export function lexBounded(text: string, options: MarkedOptions): Token[] | null {
  const lines = text.split(/\r\n?|\n/)
  if (lines.length > MAX_LINES || countDelimiters(lines) > MAX_TABLES) return null
  if (itemCost(lines) > MAX_ITEM_COST) return null
  try {
    const lexer = new BoundedLexer(options)
    lexer.blockTokens(lines.join('\n'), lexer.tokens)
    const queue = lexer.inlineQueue
    const chunks = RUN_LENGTHS.map((length) => queue.map(({ src }) => splitRun(src, length))).find(
      (split) => split.flat().reduce((sum, run) => sum + countMarks(run) ** 2, 0) <= MAX_MARK_PAIRS,
    )
    if (!chunks) return null
    for (const [at, { tokens }] of queue.entries()) {
      for (const run of chunks[at]!) lexer.inlineTokens(run, tokens)
    }
    return findTokens(lexer.tokens, (_token, depth) => depth > MAX_DEPTH).length > 0 ? null : lexer.tokens
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function countDelimiters(lines: string[]): number {
  return lines.filter((line, at) => at > 0 && TABLE_DELIMITER.test(line) && lines[at - 1]!.trim() !== '')
    .length
}

/** An item ends at the next one, or at an unindented line after an empty one. */
function itemCost(lines: string[]): number {
  let cost = 0
  let item: { lines: number; characters: number } | null = null
  for (const [at, line] of lines.entries()) {
    if (LIST_MARKER.test(line)) {
      cost += item ? item.lines * item.characters : 0
      item = { lines: 0, characters: 0 }
    } else if (item && /^\S/.test(line) && lines[at - 1]!.trim() === '') {
      cost += item.lines * item.characters
      item = null
    }
    if (item) item = { lines: item.lines + 1, characters: item.characters + line.length }
  }
  return cost + (item ? item.lines * item.characters : 0)
}

function countMarks(run: string): number {
  return (run.match(MARKS)?.length ?? 0) + 2 * (run.match(ADDRESSES)?.length ?? 0)
}

/** Splits a long run before a line, else before a word, else before a mention. */
function splitRun(run: string, length: number): string[] {
  const chunks: string[] = []
  let from = 0
  while (run.length - from > length) {
    const window = run.slice(from, from + length)
    const at = ['\n', ' ', '<'].map((sign) => window.lastIndexOf(sign)).find((position) => position > 0) ?? 0
    const end = from + (at > 0 ? at : length)
    chunks.push(run.slice(from, end))
    from = end
  }
  return [...chunks, run.slice(from)]
}

/** The tokens that match, at any depth. */
export function findTokens(
  tokens: readonly Token[],
  matches: (token: Token, depth: number) => boolean,
  depth = 0,
): Token[] {
  return tokens.flatMap((token) => {
    const { tokens: inner, items, header, rows } = token as Parent
    const found = [inner, items, header, ...(rows ?? [])].flatMap((list) =>
      Array.isArray(list) ? findTokens(list, matches, depth + 1) : [],
    )
    return matches(token, depth) ? [token, ...found] : found
  })
}

/** What can contain other tokens; cells of a table are tokens without a type. */
interface Parent {
  tokens?: Token[]
  items?: Token[]
  /** Of a cell it is whether it is in the first row. */
  header?: Token[] | boolean
  rows?: Token[][]
}
