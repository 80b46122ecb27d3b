import type { Mark, Node } from 'prosemirror-model'
import { canCloseMark, canOpenMark } from '../../../../../wire/body/parseInlines.ts'
import type { CodeContent, Inline, Link, Marked } from '../../../../../wire/body/tree.ts'

const NOWHERE = { start: 0, end: 0 }

/** A character or a node without content, with its marks. */
export interface Unit {
  /** A character; of a node, the sign with which its source begins and ends. */
  first: string
  last: string
  /** Null: text. */
  leaf: Inline | null
  /** One bit for each of `TYPES`. */
  marks: number
  link: Mark | null
  isCode: boolean
  /** Where it begins in its paragraph. */
  offset: number
}

/** The marks that contain others, the outer one first. */
const TYPES = ['spoiler', 'strikethrough', 'emphasis', 'strong'] as const satisfies Marked['type'][]

const LINE_BREAK: Unit = {
  first: '\n',
  last: '\n',
  leaf: { type: 'lineBreak', ...NOWHERE },
  marks: 0,
  link: null,
  isCode: false,
  offset: -1,
}

/** The lines of a paragraph, without blanks at their ends. */
export function linesOf(parent: Node): Unit[][] {
  const lines: Unit[][] = [[]]
  let offset = 0
  for (const node of parent.children) {
    let at = offset
    offset += node.nodeSize
    const marks = bitsOf(node)
    const link = node.marks.find(({ type }) => type.name === 'link') ?? null
    const isCode = node.marks.some(({ type }) => type.name === 'code')
    const add = (leaf: Inline | null, first: string, last = first) =>
      lines.at(-1)!.push({ first, last, leaf, marks, link, isCode, offset: at })
    if (node.isText)
      for (const character of node.text!) {
        if (character === '\n' || character === '\r') lines.push([])
        else add(null, character)
        at += character.length
      }
    else if (node.type.name === 'lineBreak') lines.push([])
    else if (node.type.name === 'mention')
      add({ type: 'mention', who: node.attrs['who'], ...NOWHERE }, '<', '>')
    else if (isCode) for (const character of `:${node.attrs['name']}:`) add(null, character)
    else add({ type: 'emoji', name: node.attrs['name'], ...NOWHERE }, ':')
  }
  return lines.map(trimLine)
}

/** The paragraphs that a node is sent as: an empty line divides them. */
export function paragraphUnits(node: Node): Unit[][] {
  const paragraphs: Unit[][] = []
  let units: Unit[] = []
  for (const line of linesOf(node)) {
    if (line.length > 0) units.push(...(units.length > 0 ? [LINE_BREAK] : []), ...line)
    else if (units.length > 0) {
      paragraphs.push(units)
      units = []
    }
  }
  return units.length > 0 ? [...paragraphs, units] : paragraphs
}

function bitsOf({ marks }: Node): number {
  return TYPES.reduce(
    (bits, type, at) => bits | (marks.some((mark) => mark.type.name === type) ? 1 << at : 0),
    0,
  )
}

function trimLine(line: Unit[]): Unit[] {
  const isText = ({ leaf, isCode, first }: Unit) => leaf !== null || isCode || !/[ \t]/.test(first)
  const from = line.findIndex(isText)
  return from < 0 ? [] : line.slice(from, line.findLastIndex(isText) + 1)
}

/** The tree of lines, with marks as they can be written. */
export function inlinesOf(line: readonly Unit[]): Inline[] {
  const units = writable(line)
  return nest(units, 0, units.length, 0, false)
}

/** Lines with marks as they can be written: a mark neither divides a word nor begins or ends with a blank. */
function writable(line: readonly Unit[]): Unit[] {
  const units = line.map((unit) => ({ ...unit }))
  for (const [at, unit] of units.entries())
    if (unit.leaf?.type === 'lineBreak') {
      // A mark goes on in the next line.
      unit.marks = (units[at - 1]?.marks ?? 0) & (units[at + 1]?.marks ?? 0)
      unit.link =
        units[at - 1]?.link && units[at - 1]?.link === units[at + 1]?.link ? units[at - 1]!.link : null
    }
  for (const bit of TYPES.keys()) fitMarks(units, bit)
  return units
}

/** A range of a paragraph that is sent with a mark that it does not have. */
export interface AddedMark {
  type: (typeof TYPES)[number]
  from: number
  to: number
}

/** The ranges of a paragraph that are sent with a mark, since the rest of their word has it. */
export function addedMarks(node: Node): AddedMark[] {
  const added: AddedMark[] = []
  for (const units of paragraphUnits(node)) {
    for (const [at, unit] of writable(units).entries()) {
      const { offset, first, leaf } = unit
      const size = leaf ? 1 : first.length
      for (const [bit, type] of TYPES.entries()) {
        if (offset < 0 || !(unit.marks & ~units[at]!.marks & (1 << bit))) continue
        const last = added.findLast((one) => one.type === type)
        if (last?.to === offset) last.to += size
        else added.push({ type, from: offset, to: offset + size })
      }
    }
  }
  return added
}

function isBlank({ leaf, isCode, first }: Unit): boolean {
  return leaf?.type === 'lineBreak' || (leaf === null && !isCode && /\s/.test(first))
}

/** Moves the ends of each mark of a type to where the parser reads them. */
function fitMarks(units: Unit[], type: number): void {
  const bit = 1 << type
  const count = TYPES[type] === 'emphasis' ? 1 : 2
  let from = 0
  while (from < units.length) {
    if (!(units[from]!.marks & bit)) {
      from += 1
      continue
    }
    let start = from
    let end = from + 1
    while (end < units.length && units[end]!.marks & bit) end += 1
    const whole = end
    // A mark that became shorter does not become longer again.
    let canGrow = true
    for (;;) {
      const length = end - start
      while (start < end && isBlank(units[start]!)) start += 1
      while (start < end && isBlank(units[end - 1]!)) end -= 1
      if (end - start < length) canGrow = false
      if (start >= end) break
      const after = signOf(units, start, 'first')
      const last = signOf(units, end - 1, 'last')
      const opens = canOpenMark(count, signBefore(units, start, bit), after)
      if (opens && canCloseMark(count, last, signAfter(units, end, bit))) break
      // What is beside it belongs to the same word.
      const grows = opens ? canCloseMark(count, last, '') : canOpenMark(count, '', after)
      if (grows && !canGrow) {
        start = end
        break
      }
      if (!grows) canGrow = false
      if (opens) end += grows ? 1 : -1
      else start += grows ? -1 : 1
    }
    for (let at = from; at < whole; at += 1) units[at]!.marks &= ~bit
    for (let at = start; at < end; at += 1) units[at]!.marks |= bit
    from = Math.max(whole, end)
  }
}

/** The first or last character of the source of a unit. */
function signOf(units: readonly Unit[], at: number, side: 'first' | 'last'): string {
  const unit = units[at]
  return unit === undefined ? '' : unit.isCode ? '`' : unit[side]
}

/** What is before a mark in the source: the sign of another mark that ends there, or a character. */
function signBefore(units: readonly Unit[], at: number, bit: number): string {
  const before = units[at - 1]
  if (before && before.marks & ~units[at]!.marks & ~bit) return '*'
  if (before?.link && before.link !== units[at]!.link) return ')'
  return signOf(units, at - 1, 'last')
}

function signAfter(units: readonly Unit[], at: number, bit: number): string {
  const after = units[at]
  if (after && after.marks & ~units[at - 1]!.marks & ~bit) return '*'
  if (after?.link && after.link !== units[at - 1]!.link) return '['
  return signOf(units, at, 'first')
}

/** The nodes of a range. `done`: the marks that contain it. */
function nest(units: readonly Unit[], from: number, to: number, done: number, isInLink: boolean): Inline[] {
  const nodes: Inline[] = []
  let at = from
  while (at < to) {
    const unit = units[at]!
    const open = isBlank(unit) ? 0 : unit.marks & ~done
    const hasLink = !isInLink && unit.link !== null && !isBlank(unit)
    if (open === 0 && !hasLink) {
      at = addPlain(nodes, units, at, to, done, isInLink)
      continue
    }
    let outer = -1
    let end = hasLink ? extent(units, at, to, ({ link }) => link === unit.link) : at
    for (const type of TYPES.keys()) {
      if (!(open & (1 << type))) continue
      const reached = extent(units, at, to, ({ marks }) => (marks & (1 << type)) !== 0)
      if (reached > end) {
        end = reached
        outer = type
      }
    }
    const children = nest(units, at, end, outer < 0 ? done : done | (1 << outer), isInLink || outer < 0)
    nodes.push(outer < 0 ? linkNode(unit.link!, children) : { type: TYPES[outer]!, children, ...NOWHERE })
    at = end
  }
  return nodes
}

/** How far a condition holds, without blanks at the end. */
function extent(units: readonly Unit[], from: number, to: number, is: (unit: Unit) => boolean): number {
  let end = from + 1
  while (end < to && is(units[end]!)) end += 1
  while (end > from + 1 && isBlank(units[end - 1]!)) end -= 1
  return end
}

/** Adds what has no other marks: text, code or a node. */
function addPlain(
  nodes: Inline[],
  units: readonly Unit[],
  from: number,
  to: number,
  done: number,
  isInLink: boolean,
): number {
  const { leaf, isCode } = units[from]!
  if (leaf && !isCode) {
    nodes.push(leaf)
    return from + 1
  }
  let end = from + 1
  const isSame = (unit: Unit) =>
    unit.isCode === isCode &&
    unit.leaf?.type !== 'lineBreak' &&
    (isCode || unit.leaf === null) &&
    (isBlank(unit) || ((unit.marks & ~done) === 0 && (isInLink || unit.link === null)))
  while (end < to && isSame(units[end]!)) end += 1
  const range = units.slice(from, end)
  const last = nodes.at(-1)
  if (isCode) nodes.push({ type: 'code', children: codeContent(range), ...NOWHERE })
  else if (last?.type === 'text') last.text += textOf(range)
  else nodes.push({ type: 'text', text: textOf(range), ...NOWHERE })
  return end
}

function textOf(units: readonly Unit[]): string {
  return units.map(({ first }) => first).join('')
}

function codeContent(units: readonly Unit[]): CodeContent {
  const content: CodeContent = []
  for (const { leaf, first } of units) {
    const last = content.at(-1)
    if (leaf?.type === 'mention') content.push(leaf)
    else if (last?.type === 'text') last.text += first
    else content.push({ type: 'text', text: first, ...NOWHERE })
  }
  return content
}

const ADDRESS = /^(?:(?:https?:\/\/|mailto:)[^\s<>]{1,2000}|[\w.+%-]{1,64}@[\w.-]{1,255})$/i

/** A link whose text is no longer its address has a text of its own. */
function linkNode(link: Mark, children: Inline[]): Link {
  const { href, form } = link.attrs as Pick<Link, 'href' | 'form'>
  const [only] = children
  const isAddress = children.length === 1 && only?.type === 'text' && ADDRESS.test(only.text)
  return { type: 'link', form: form === 'angle' && !isAddress ? 'text' : form, href, children, ...NOWHERE }
}
