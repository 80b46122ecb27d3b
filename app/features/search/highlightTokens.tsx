import type { Token, Tokens } from 'marked'
import { createElement, Fragment, type ReactNode } from 'react'
import { withEmoji } from '../emoji/EmojiText.tsx'
import type { ElementToken } from '../message/body/Body.tsx'
import type { Matcher } from './findMatches.ts'

/** Characters before the first match that remain of what precedes it. */
const MAX_BEFORE = 80
/** Blocks of an excerpt, from the one with the first match on. */
const MAX_BLOCKS = 4
/** Lines of code around the first match. */
const LINES_AROUND = 2

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
  const parts: ReactNode[] = []
  let at = 0
  for (const [start, end] of findMatches(text)) {
    parts.push(withEmoji(text.slice(at, start)), <mark>{text.slice(start, end)}</mark>)
    at = end
  }
  if (at === 0) return withEmoji(text)
  // Without keys: a text is replaced as a whole.
  return createElement(Fragment, null, ...parts, withEmoji(text.slice(at)))
}

function highlight(token: Token, findMatches: Matcher): Highlighted {
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
  if ('tokens' in token && token.tokens) return highlightChildren(token as Tokens.Generic, findMatches)
  if (token.type === 'codespan' || token.type === 'text' || token.type === 'escape') {
    const text = String((token as Tokens.Text).text)
    if (findMatches(text).length === 0) return { token, hasMatch: false }
    if (token.type === 'codespan') {
      const element = <code>{highlightText(text, findMatches)}</code>
      return { token: elementToken(token.raw, element), hasMatch: true }
    }
    return {
      token: { ...elementToken(token.raw, highlightText(text, findMatches)), text } as Token,
      hasMatch: true,
    }
  }
  return { token, hasMatch: false }
}

function highlightChildren(token: Tokens.Generic, findMatches: Matcher): Highlighted {
  const children = (token.tokens ?? []).map((child) => highlight(child, findMatches))
  if (!children.some(({ hasMatch }) => hasMatch)) return { token, hasMatch: false }
  return { token: { ...token, tokens: startAtMatch(children, findMatches) }, hasMatch: true }
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

/** Tokens from the first with a match on. Of a long text before it, the end remains. */
function startAtMatch(tokens: readonly Highlighted[], findMatches?: Matcher): Token[] {
  const all = tokens.map(({ token }) => token)
  const first = tokens.findIndex(({ hasMatch }) => hasMatch)
  if (first < 0) return all
  const before = all.slice(0, first).reduce((sum, { raw }) => sum + raw.length, 0)
  const kept = before > MAX_BEFORE ? all.slice(first) : all
  const target = kept[kept.length - (all.length - first)] as Token & { text?: string }
  const shortened =
    findMatches && target.type === 'element' && target.text ? shorten(target.text, findMatches) : null
  if (shortened) kept[kept.indexOf(target)] = elementToken(target.raw, shortened)
  const isCut = before > MAX_BEFORE && shortened === null && findMatches !== undefined
  return isCut ? [elementToken('… ', '… '), ...kept] : kept
}

/** A text with its matches, without what is long before the first one; null if nothing is. */
function shorten(text: string, findMatches: Matcher): ReactNode {
  const start = findMatches(text)[0]?.[0] ?? 0
  if (start <= MAX_BEFORE) return null
  const space = text.indexOf(' ', start - MAX_BEFORE)
  const from = space >= 0 && space < start ? space + 1 : start
  return createElement(Fragment, null, '… ', highlightText(text.slice(from), findMatches))
}

function elementToken(raw: string, element: ReactNode): ElementToken {
  return { type: 'element', raw, element }
}
