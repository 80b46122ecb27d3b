import { escapeMentions } from './escapeMentions.ts'
import { mentionsOf } from './mentionsOf.ts'
import { nodesOf } from './nodesOf.ts'
import { parseBody } from './parseBody.ts'
import type { Block, Inline, Table, Text } from './tree.ts'

/** Markdown, in which some characters are the text of the message, and others are marks. */
export interface Draft {
  markdown: string
  /** For each character "t" if it is text, "e" if it is the backslash of an escape, else "m". */
  kinds: string
}

/** Escapes of one text can make others necessary: a backslash before the backslash of an escape. */
const MAX_ROUNDS = 10

/** Characters that are marks. */
export function marks(markdown: string): Draft {
  return { markdown, kinds: 'm'.repeat(markdown.length) }
}

/** A part of a draft. */
export function slice({ markdown, kinds }: Draft, from: number, to?: number): Draft {
  return { markdown: markdown.slice(from, to), kinds: kinds.slice(from, to) }
}

/** Drafts one after the other, with marks between them. */
export function join(drafts: readonly Draft[], between: string): Draft {
  return {
    markdown: drafts.map(({ markdown }) => markdown).join(between),
    kinds: drafts.map(({ kinds }) => kinds).join(marks(between).kinds),
  }
}

/**
 * The Markdown of a draft with a backslash wherever text would be read as a mark, a mention or an address. `isTyped`: whether
 * addresses, formulas, tables and rules in the text stay what they are.
 */
export function addEscapes(draft: Draft, isTyped = false): string {
  let current = draft
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { missing, idle } = findEscapes(current, isTyped)
    if (missing.length + idle.length === 0) break
    // An escape can make an earlier one unnecessary, which would be shown.
    current = idle.length > 0 ? without(current, idle) : withEscapes(current, missing)
  }
  return current.markdown
}

function withEscapes(draft: Draft, places: readonly number[]): Draft {
  let from = 0
  const parts = places.flatMap((place) => {
    const part = slice(draft, from, place)
    from = place
    return [part, { markdown: '\\', kinds: 'e' }]
  })
  return join([...parts, slice(draft, from)], '')
}

function without(draft: Draft, places: readonly number[]): Draft {
  const ends = [...places, draft.markdown.length]
  return join(
    ends.map((end, at) => slice(draft, at === 0 ? 0 : ends[at - 1]! + 1, end)),
    '',
  )
}

/** A backslash with the sign that it escapes in CommonMark. */
const ESCAPE = /\\[!-/:-@[-`{-~]/g

/**
 * Markdown of a program that puts a backslash before each sign of a text, as CommonMark permits, with the necessary
 * backslashes only. Messages show the others. The result mentions nobody whom the Markdown does not mention.
 */
export function keepNecessaryEscapes(markdown: string): string {
  if (!markdown.includes('\\')) return markdown
  const nodes = [...nodesOf(parseBody(markdown))]
  const isInCode = isWithin(nodes.filter(({ type }) => type === 'code' || type === 'codeBlock'))
  const isInTable = isWithin(nodes.filter(({ type }) => type === 'table'))
  const parts: Draft[] = []
  let from = 0
  for (const { 0: escape, index } of markdown.matchAll(ESCAPE)) {
    // In a table, each bar needs its backslash.
    if (isInCode(index) || (isInTable(index) && escape === '\\|')) continue
    parts.push(marks(markdown.slice(from, index)), { markdown: escape.slice(1), kinds: 't' })
    from = index + escape.length
  }
  const kept = addEscapes(join([...parts, marks(markdown.slice(from))], ''))
  // The last round may lack an escape.
  const mentioned = mentionsOf(markdown)
  return mentionsOf(kept).every((one) => mentioned.includes(one)) ? kept : escapeMentions(kept)
}

/** Whether ascending positions are in one of the nodes, which are ascending too. */
function isWithin(nodes: readonly (Block | Inline)[]): (at: number) => boolean {
  let next = 0
  return (at) => {
    while (next < nodes.length && nodes[next]!.end <= at) next += 1
    return at >= (nodes[next]?.start ?? Infinity)
  }
}

/**
 * Where a backslash is missing, since text would be read as a mark, a mention or an address; and which backslashes prevent
 * nothing.
 */
function findEscapes({ markdown, kinds }: Draft, isTyped: boolean): { missing: number[]; idle: number[] } {
  const nodes = [...nodesOf(parseBody(markdown), (node) => !(node.type === 'link' && node.form === 'bare'))]
  const isText = new Uint8Array(markdown.length)
  for (const node of nodes)
    if (node.type === 'text') markText(node, markdown, isText)
    else if (isTyped && isSource(node, markdown, kinds)) markSource(node, isText)
  const idle = [...kinds].flatMap((kind, at) => (kind === 'e' && isText[at] === 1 ? [at] : []))
  const places: number[] = []
  let from = 0
  for (const node of nodes) {
    if (
      node.type !== 'table' ||
      node.start < from ||
      (isTyped && isSource(node, markdown, kinds)) ||
      kinds[rowBelow(node, markdown)] === 'm'
    )
      continue
    // The second row makes it a table.
    places.push(rowBelow(node, markdown))
    isText.fill(1, node.start, node.end)
    from = node.end
  }
  for (const node of nodes) {
    const { start, end } = node
    if (node.type === 'link' && node.form === 'bare') {
      // Escapes elsewhere in an address do not prevent it.
      const place = start + escapeInAddress(markdown.slice(start, end))
      if (start >= from && kinds[place] === 't' && isText[start] === 0) places.push(place)
      isText.fill(1, start, end)
      continue
    }
    if (!('children' in node) && node.type !== 'formula') continue
    if (start < from || BLOCKS.has(node.type) || kinds[start] !== 't' || isText[start] === 1) continue
    // Without its beginning, the end is text. The next round reads what is between.
    places.push(start)
    isText.fill(1, start, end)
    from = end
  }
  for (let at = 0; at < markdown.length; at += 1) {
    if (kinds[at] !== 't' || isText[at] === 1 || /\s/.test(markdown[at]!)) continue
    let end = at + 1
    while (end < markdown.length && kinds[end] === 't' && isText[end] === 0) end += 1
    places.push(at + (/^\d+(?=[.)]\s)/.exec(markdown.slice(at, end))?.[0].length ?? 0))
    at = end
  }
  return { missing: places.toSorted((a, b) => a - b), idle }
}

const BLOCKS = new Set(['paragraph', 'heading', 'codeBlock', 'quote'])

/** Whether an address, a formula, a table or a rule was typed as its source. */
function isSource(node: Block | Inline, markdown: string, kinds: string): boolean {
  const { type, start, end } = node
  if (type === 'table') return kinds[rowBelow(node, markdown)] === 't'
  const isRead =
    type === 'formula' ||
    type === 'formulaBlock' ||
    type === 'rule' ||
    (type === 'link' && node.form === 'bare')
  if (!isRead) return false
  for (let at = start; at < end; at += 1) if (kinds[at] !== 't' && markdown[at] !== '\n') return false
  return true
}

/** Where the row of hyphens begins. */
function rowBelow({ header }: Table, markdown: string): number {
  const below = markdown.indexOf('\n', header.at(-1)!.end) + 1
  return below + markdown.slice(below).search(/\S/)
}

/** Marks the characters of a node's source; of a table only the signs around its cells. */
function markSource(node: Block | Inline, isText: Uint8Array): void {
  if (node.type !== 'table') {
    isText.fill(1, node.start, node.end)
    return
  }
  let from = node.start
  for (const { start, end } of [node.header, ...node.rows].flat()) {
    isText.fill(1, from, start)
    from = end
  }
  isText.fill(1, from, node.end)
}

/** Where the backslash of an address alone belongs; of other links it is before the first sign. */
function escapeInAddress(text: string): number {
  return /^(?:https?(?=:\/\/)|www(?=\.)|[\w.+%-]+(?=@))/i.exec(text)?.[0].length ?? 0
}

/** Marks the characters of the source that a text shows, from its end: those left are backslashes. */
function markText({ text, start, end }: Text, source: string, isText: Uint8Array): void {
  let shown = text.length - 1
  for (let at = end - 1; at >= start; at -= 1) {
    if (source[at] === text[shown]) {
      isText[at] = 1
      shown -= 1
    }
  }
}
