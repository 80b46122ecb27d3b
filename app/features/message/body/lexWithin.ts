import { Lexer, type MarkedOptions, type Token } from 'marked'

/** Characters of a run that are read at once: some rules of Markdown take the square of its length. */
const RUN = 1_000
/** How deep tokens lie within each other at most: a tree without end is one that no browser draws. */
const DEEPEST = 100
/** So many quotes or lists begin in one line only where somebody wants to see a reader stumble. */
const PILED = /^[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+){50}/m

/**
 * The tokens of a text by Markdown's rules, at a cost that its author can't drive up: long runs are read in pieces.
 * Null where quotes, lists or emphasis pile up beyond any sense: one such message must not take the page from all who
 * open its channel.
 */
export function lexWithin(text: string, options: MarkedOptions): Token[] | null {
  if (PILED.test(text)) return null
  try {
    const lexer = new Lexer(options)
    lexer.blockTokens(text.replaceAll(/\r\n?/g, '\n'), lexer.tokens)
    for (const { src, tokens } of lexer.inlineQueue) {
      for (const piece of pieces(src)) lexer.inlineTokens(piece, tokens)
    }
    return isDeeper(lexer.tokens, DEEPEST) ? null : lexer.tokens
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** A long run cut before a line, else before a word, else before a mention. */
function pieces(run: string): string[] {
  const cut: string[] = []
  let from = 0
  while (run.length - from > RUN) {
    const most = run.slice(from, from + RUN)
    const at = ['\n', ' ', '<'].map((sign) => most.lastIndexOf(sign)).find((place) => place > 0) ?? 0
    const end = from + (at > 0 ? at : RUN)
    cut.push(run.slice(from, end))
    from = end
  }
  return [...cut, run.slice(from)]
}

interface Nested {
  tokens?: Token[]
  items?: Token[]
}

function inner(token: Token): Token[] {
  const { tokens = [], items = [] } = token as Nested
  return tokens.concat(items)
}

function isDeeper(tokens: readonly Token[], most: number): boolean {
  let level: readonly Token[] = tokens
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true
    level = level.flatMap(inner)
  }
  return false
}
