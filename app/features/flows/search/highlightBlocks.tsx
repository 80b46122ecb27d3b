import { createElement, Fragment, type ReactNode } from 'react'
import {
  codeText,
  type Block,
  type CodeBlock,
  type Inline,
  type Table,
  type TableCell,
  type Text,
} from '../../../../wire/body/tree.ts'
import type { ChangeBlocks, ElementNode } from '../../parts/body/Body.tsx'
import { joinMatches, type Matcher, type Matches } from './findMatches.ts'

/** Characters before the first match that remain of what precedes it. */
const MAX_BEFORE = 80
/** Blocks of an excerpt, from the one with the first match on. */
const MAX_BLOCKS = 4
/** Lines of code around the first match. */
const LINES_AROUND = 2

/** The matches in each text of a paragraph. A match can continue in the next text: `very **important** thing`. */
type TextMatches = ReadonlyMap<Text, Matches>

/** A text that has matches, as an element. */
interface MarkedText extends ElementNode {
  text: string
  matches: Matches
}

/** A node with the matches in it as elements. */
interface Highlighted<N> {
  node: N | ElementNode
  hasMatch: boolean
}

/**
 * An excerpt of a message's blocks, from shortly before the first match on, in which matches are `<mark>` elements.
 * Without a match the beginning of the message.
 */
export function highlightBlocks(findMatches: Matcher): ChangeBlocks {
  return (blocks, source) =>
    startAtMatch(blocks.map((block) => highlightBlock(block, findMatches, source))).slice(0, MAX_BLOCKS)
}

/** A text with its matches as `<mark>` elements. */
export function highlightText(text: string, findMatches: Matcher): ReactNode {
  return markText(text, findMatches(text))
}

function markText(text: string, matches: Matches): ReactNode {
  const parts: ReactNode[] = []
  let at = 0
  for (const [start, end] of matches) {
    parts.push(text.slice(at, start), <mark>{text.slice(start, end)}</mark>)
    at = end
  }
  if (at === 0) return text
  // Without keys: a text is replaced as a whole.
  return createElement(Fragment, null, ...parts, text.slice(at))
}

function highlightBlock(block: Block, findMatches: Matcher, source: string): Highlighted<Block> {
  switch (block.type) {
    case 'paragraph':
    case 'heading': {
      const inside = highlightInlines(block.children, findMatches)
      return inside ? { node: { ...block, children: inside as Inline[] }, hasMatch: true } : none(block)
    }
    case 'codeBlock':
      return highlightCode(block, findMatches, source)
    case 'quote': {
      const inside = highlightChildren(block.children, findMatches, source)
      return inside ? { node: { ...block, children: inside }, hasMatch: true } : none(block)
    }
    case 'list': {
      const items = block.items.map((item) => highlightChildren(item.children, findMatches, source))
      const first = items.findIndex((item) => item !== null)
      if (first < 0) return none(block)
      const shown = block.items.slice(first).map((item, at) => {
        const children = items[first + at]
        return children ? Object.assign({}, item, { children }) : item
      })
      return { node: { ...block, items: shown }, hasMatch: true }
    }
    case 'table':
      return highlightTable(block, findMatches)
    default:
      return none(block)
  }
}

function none<N>(node: N): Highlighted<N> {
  return { node, hasMatch: false }
}

/** Blocks from the first with a match on; null if none has one. */
function highlightChildren(blocks: readonly Block[], findMatches: Matcher, source: string): Block[] | null {
  const children = blocks.map((block) => highlightBlock(block, findMatches, source))
  return children.some(({ hasMatch }) => hasMatch) ? (startAtMatch(children) as Block[]) : null
}

/** Inline nodes from shortly before the first match on; null if none has one. */
function highlightInlines(
  nodes: readonly Inline[],
  findMatches: Matcher,
  inTexts = matchTexts(nodes, findMatches),
): (Inline | ElementNode)[] | null {
  const children = nodes.map((node) => highlightInline(node, findMatches, inTexts))
  return children.some(({ hasMatch }) => hasMatch) ? startAtMatch(children, true) : null
}

function highlightInline(node: Inline, findMatches: Matcher, inTexts: TextMatches): Highlighted<Inline> {
  if (node.type === 'text') {
    const { text } = node
    const matches = inTexts.get(node) ?? []
    if (matches.length === 0) return none(node)
    return {
      node: { ...elementOf(node, markText(text, matches)), text, matches } as MarkedText,
      hasMatch: true,
    }
  }
  if (!('children' in node)) return none(node)
  const inside = highlightInlines(node.children, findMatches, inTexts)
  return inside ? { node: { ...node, children: inside } as Inline, hasMatch: true } : none(node)
}

/** The matches of inline nodes, in each text and across them. */
function matchTexts(nodes: readonly Inline[], findMatches: Matcher): TextMatches {
  const texts: { node: Text; start: number }[] = []
  let all = ''
  const collect = (node: Inline) => {
    if ('children' in node) node.children.forEach(collect)
    else if (node.type === 'text') {
      texts.push({ node, start: all.length })
      all += node.text
    } else all += node.type === 'lineBreak' ? '\n' : '\uFFFC'
  }
  nodes.forEach(collect)
  const found = findMatches(all)
  return new Map(
    texts.map(({ node, start }) => {
      const { text } = node
      const parts = found
        .map(([from, to]): [number, number] => [Math.max(from - start, 0), Math.min(to - start, text.length)])
        .filter(([from, to]) => from < to)
      return [node, joinMatches([...findMatches(text), ...parts])]
    }),
  )
}

/** The head, and the rows from the first match on. */
function highlightTable(table: Table, findMatches: Matcher): Highlighted<Block> {
  let hasMatch = false
  const highlightRow = (cells: readonly TableCell[]): { cells: TableCell[]; isMatch: boolean } => {
    let isMatch = false
    const highlighted = cells.map((cell) => {
      const children = highlightInlines(cell.children, findMatches) as Inline[] | null
      if (!children) return cell
      isMatch = hasMatch = true
      return Object.assign({}, cell, { children })
    })
    return { cells: highlighted, isMatch }
  }
  const header = highlightRow(table.header).cells
  const rows = table.rows.map(highlightRow)
  if (!hasMatch) return none(table)
  const first = Math.max(
    0,
    rows.findIndex(({ isMatch }) => isMatch),
  )
  return { node: { ...table, header, rows: rows.slice(first).map(({ cells }) => cells) }, hasMatch }
}

/** A block of code with a match is shown as its lines around that, without colours. */
function highlightCode(block: CodeBlock, findMatches: Matcher, source: string): Highlighted<Block> {
  const lines = codeText(source, block.children).split('\n')
  const at = lines.findIndex((line) => findMatches(line).length > 0)
  if (at < 0) return none(block)
  const text = lines.slice(Math.max(0, at - LINES_AROUND), at + LINES_AROUND + 1).join('\n')
  return {
    node: elementOf(
      block,
      <pre dir="ltr">
        <code>{highlightText(text, findMatches)}</code>
      </pre>,
    ),
    hasMatch: true,
  }
}

/** Nodes from the first with a match on. Of a long inline text before it, the end remains. */
function startAtMatch<N extends Block | Inline>(
  nodes: readonly Highlighted<N>[],
  isInline = false,
): (N | ElementNode)[] {
  const all = nodes.map(({ node }) => node)
  const first = nodes.findIndex(({ hasMatch }) => hasMatch)
  if (first < 0) return all
  const before = all.slice(0, first).reduce((sum, { start, end }) => sum + end - start, 0)
  const kept = before > MAX_BEFORE ? all.slice(first) : all
  const target = kept[kept.length - (all.length - first)]!
  const shortened = isInline && 'matches' in target ? shorten(target as MarkedText) : null
  if (shortened) kept[kept.indexOf(target)] = elementOf(target, shortened)
  const isCut = before > MAX_BEFORE && shortened === null && isInline
  return isCut ? [elementOf(target, '… '), ...kept] : kept
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

function elementOf({ start, end }: { start: number; end: number }, element: ReactNode): ElementNode {
  return { type: 'element', start, end, element }
}
