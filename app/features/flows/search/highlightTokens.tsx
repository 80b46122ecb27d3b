import type { Token, Tokens } from 'marked'
import { createElement, Fragment, type ReactNode } from 'react'
import { withEmoji } from '../../parts/emoji/EmojiText.tsx'
import type { ElementToken } from '../../parts/body/Body.tsx'
import { joinMatches, type Matcher, type Matches } from './findMatches.ts'

/** Characters before the first match that remain of what precedes it. */
const MAX_BEFORE = 80
/** Blocks of an excerpt, from the one with the first match on. */
const MAX_BLOCKS = 4
/** Lines of code around the first match. */
const LINES_AROUND = 2
const BLOCKS = new Set(['blockquote', 'code', 'heading', 'list', 'paragraph', 'table'])

/** Matches within the texts of a paragraph, also those that go on in the next one: `very **important** thing`. */
type TextMatches = ReadonlyMap<Token, Matches>

/** A text that has matches, as an element. */
interface MarkedText extends ElementToken {
  text: string
  matches: Matches
}

/** A token with the matches in it as elements. */
interface Highlighted {
  token: Token
  hasMatch: boolean
}

/**
 * An excerpt of a message's tokens, from shortly before the first match on, in which matches are `<mark>` elements.
 * Without a match the beginning of the message.
 */
export function highlightTokens(tokens: readonly Token[], findMatches: Matcher): Token[] {
  const blocks = tokens.filter(({ type }) => type !== 'space').map((token) => highlight(token, findMatches))
  return startAtMatch(blocks).slice(0, MAX_BLOCKS)
}

/** A text with its matches as `<mark>` elements. */
export function highlightText(text: string, findMatches: Matcher): ReactNode {
  return markText(text, findMatches(text))
}

function markText(text: string, matches: Matches): ReactNode {
  const parts: ReactNode[] = []
  let at = 0
  for (const [start, end] of matches) {
    parts.push(withEmoji(text.slice(at, start)), <mark>{text.slice(start, end)}</mark>)
    at = end
  }
  if (at === 0) return withEmoji(text)
  // Without keys: a text is replaced as a whole.
  return createElement(Fragment, null, ...parts, withEmoji(text.slice(at)))
}

function highlight(token: Token, findMatches: Matcher, inTexts?: TextMatches): Highlighted {
  if (token.type === 'code') return highlightCode(token as Tokens.Code, findMatches)
  if (token.type === 'list') {
    const list = token as Tokens.List
    const items = list.items.map((item) => highlightChildren(item, findMatches))
    const first = items.findIndex(({ hasMatch }) => hasMatch)
    if (first < 0) return { token, hasMatch: false }
    const start = list.start === '' ? '' : list.start + first
    return {
      token: { ...list, start, items: items.slice(first).map((one) => one.token) } as Token,
      hasMatch: true,
    }
  }
  if (token.type === 'table') return highlightTable(token as Tokens.Table, findMatches)
  if ('tokens' in token && token.tokens)
    return highlightChildren(token as Tokens.Generic, findMatches, inTexts)
  if (isText(token)) {
    const { text, raw } = token
    const matches = inTexts?.get(token) ?? findMatches(text)
    if (matches.length === 0) return { token, hasMatch: false }
    const element = markText(text, matches)
    if (token.type === 'codespan') return { token: elementToken(raw, <code>{element}</code>), hasMatch: true }
    return { token: { ...elementToken(raw, element), text, matches } as MarkedText, hasMatch: true }
  }
  return { token, hasMatch: false }
}

function highlightChildren(
  token: Tokens.Generic,
  findMatches: Matcher,
  inTexts = matchTexts(token.tokens ?? [], findMatches),
): Highlighted {
  const children = (token.tokens ?? []).map((child) => highlight(child, findMatches, inTexts))
  if (!children.some(({ hasMatch }) => hasMatch)) return { token, hasMatch: false }
  return { token: { ...token, tokens: startAtMatch(children, true) }, hasMatch: true }
}

function isText(token: Token): token is Tokens.Text | Tokens.Escape | Tokens.Codespan {
  return token.type === 'codespan' || token.type === 'text' || token.type === 'escape'
}

/** The matches of inline tokens, in each text and across them; undefined for blocks. */
function matchTexts(tokens: readonly Token[], findMatches: Matcher): TextMatches | undefined {
  if (tokens.some((token) => BLOCKS.has(token.type) || (token.type === 'text' && 'tokens' in token))) return
  const texts: { token: Token; text: string; start: number }[] = []
  let all = ''
  const collect = (token: Token) => {
    if ('tokens' in token && token.tokens) token.tokens.forEach(collect)
    else if (isText(token)) {
      texts.push({ token, text: token.text, start: all.length })
      all += token.text
    } else all += token.raw
  }
  tokens.forEach(collect)
  const found = findMatches(all)
  return new Map(
    texts.map(({ token, text, start }) => {
      const parts = found
        .map(([from, to]): [number, number] => [Math.max(from - start, 0), Math.min(to - start, text.length)])
        .filter(([from, to]) => from < to)
      return [token, joinMatches([...findMatches(text), ...parts])]
    }),
  )
}

/** The head, and the rows from the first match on. */
function highlightTable(table: Tokens.Table, findMatches: Matcher): Highlighted {
  const cellOf = (cell: Tokens.TableCell): Highlighted =>
    highlightChildren(cell as unknown as Tokens.Generic, findMatches)
  const header = table.header.map(cellOf)
  const rows = table.rows.map((row) => row.map(cellOf))
  const isMatch = (cells: Highlighted[]) => cells.some(({ hasMatch }) => hasMatch)
  const first = rows.findIndex(isMatch)
  if (first < 0 && !isMatch(header)) return { token: table, hasMatch: false }
  const tokensOf = (cells: Highlighted[]) => cells.map(({ token }) => token)
  const token = { ...table, header: tokensOf(header), rows: rows.slice(Math.max(first, 0)).map(tokensOf) }
  return { token: token as unknown as Token, hasMatch: true }
}

/** A block of code with a match is shown as its lines around that, without colours. */
function highlightCode(token: Tokens.Code, findMatches: Matcher): Highlighted {
  const lines = token.text.split('\n')
  const at = lines.findIndex((line) => findMatches(line).length > 0)
  if (at < 0) return { token, hasMatch: false }
  const text = lines.slice(Math.max(0, at - LINES_AROUND), at + LINES_AROUND + 1).join('\n')
  return {
    token: elementToken(
      token.raw,
      <pre dir="ltr">
        <code>{highlightText(text, findMatches)}</code>
      </pre>,
    ),
    hasMatch: true,
  }
}

/** Tokens from the first with a match on. Of a long inline text before it, the end remains. */
function startAtMatch(tokens: readonly Highlighted[], isInline = false): Token[] {
  const all = tokens.map(({ token }) => token)
  const first = tokens.findIndex(({ hasMatch }) => hasMatch)
  if (first < 0) return all
  const before = all.slice(0, first).reduce((sum, { raw }) => sum + raw.length, 0)
  const kept = before > MAX_BEFORE ? all.slice(first) : all
  const target = kept[kept.length - (all.length - first)] as Token
  const shortened = isInline && 'matches' in target ? shorten(target as MarkedText) : null
  if (shortened) kept[kept.indexOf(target)] = elementToken(target.raw, shortened)
  const isCut = before > MAX_BEFORE && shortened === null && isInline
  return isCut ? [elementToken('… ', '… '), ...kept] : kept
}

/** A text with its matches, without what is long before the first one; null if nothing is. */
function shorten({ text, matches }: MarkedText): ReactNode {
  const start = matches[0]?.[0] ?? 0
  if (start <= MAX_BEFORE) return null
  const space = text.indexOf(' ', start - MAX_BEFORE)
  const from = space >= 0 && space < start ? space + 1 : start
  const moved = matches.map(([begin, end]): [number, number] => [begin - from, end - from])
  return createElement(Fragment, null, '… ', markText(text.slice(from), moved))
}

function elementToken(raw: string, element: ReactNode): ElementToken {
  return { type: 'element', raw, element }
}
