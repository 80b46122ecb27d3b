import { Lexer, type MarkedOptions, type Token, type Tokens } from 'marked'

/** Characters of a run that are lexed at once: some rules of Markdown are quadratic in its length. */
const MAX_RUN = 1_000
/** Maximum depth of nested tokens: browsers can't render an unbounded tree. */
const MAX_DEPTH = 100
/** This many quote or list markers at the start of one line occur only in malicious input. */
const NESTED_MARKERS = /^[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+){50}/m
/** Maximum number of lines. Blocks cost the lexer and the browser far more than characters do. */
const MAX_LINES = 1_000
/**
 * Maximum number of rows that could be the delimiter of a table: for each, the lexer scans the rest of the text.
 * Rules below an empty line don't count.
 */
const MAX_TABLES = 50
const TABLE_DELIMITER = /^ {0,3}[|:-][|: -]*$/
/** Sum of the squared number of marks in each chunk: the lexer compares the marks of a chunk with each other. */
const MAX_MARK_PAIRS = 1_000_000
const MARKS = /[*_~`[\]<!&\\]/g
/** The lexer searches from each of these backwards and forwards, for addresses to link. */
const ADDRESSES = /@/g

/**
 * Lexes Markdown at a bounded cost: long runs are lexed in chunks. Null if quotes, lists, lines, tables or emphasis
 * exceed a limit: one such message must not block the page of everyone who opens its channel.
 */
export function lexBounded(text: string, options: MarkedOptions): Token[] | null {
  const lines = text.split(/\r\n?|\n/)
  if (lines.length > MAX_LINES || countDelimiters(lines) > MAX_TABLES || NESTED_MARKERS.test(text))
    return null
  try {
    const lexer = new Lexer(options)
    lexer.blockTokens(lines.join('\n'), lexer.tokens)
    const queue = lexer.inlineQueue.map(({ src, tokens }) => ({ runs: splitRun(src), tokens }))
    const pairs = queue.flatMap(({ runs }) => runs).reduce((sum, run) => sum + countMarks(run) ** 2, 0)
    if (pairs > MAX_MARK_PAIRS) return null
    for (const { runs, tokens } of queue) {
      for (const run of runs) lexer.inlineTokens(run, tokens)
    }
    return exceedsDepth(lexer.tokens, MAX_DEPTH) ? null : lexer.tokens
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function countDelimiters(lines: string[]): number {
  return lines.filter((line, at) => at > 0 && TABLE_DELIMITER.test(line) && lines[at - 1]!.trim() !== '')
    .length
}

function countMarks(run: string): number {
  return (run.match(MARKS)?.length ?? 0) + 2 * (run.match(ADDRESSES)?.length ?? 0)
}

/** Splits a long run before a line, else before a word, else before a mention. */
function splitRun(run: string): string[] {
  const chunks: string[] = []
  let from = 0
  while (run.length - from > MAX_RUN) {
    const window = run.slice(from, from + MAX_RUN)
    const at = ['\n', ' ', '<'].map((sign) => window.lastIndexOf(sign)).find((position) => position > 0) ?? 0
    const end = from + (at > 0 ? at : MAX_RUN)
    chunks.push(run.slice(from, end))
    from = end
  }
  return [...chunks, run.slice(from)]
}

interface ParentToken {
  tokens?: Token[]
  items?: Token[]
}

function children(token: Token): Token[] {
  const { tokens = [], items = [] } = token as ParentToken
  return tokens.concat(items)
}

/** All code blocks, including nested ones. */
export function findCode(tokens: readonly Token[]): Tokens.Code[] {
  return tokens.flatMap((token) =>
    token.type === 'code' ? [token as Tokens.Code] : findCode(children(token)),
  )
}

function exceedsDepth(tokens: readonly Token[], max: number): boolean {
  let level: readonly Token[] = tokens
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > max) return true
    level = level.flatMap(children)
  }
  return false
}
