import { matchAt, readAddress, readTarget, safeHref } from './addresses.ts'
import { characterAt, characterBefore, isBlank, isWord } from './letters.ts'
import { hasMention, withoutEscapedMentions } from './escapeMentions.ts'
import { MENTION, MENTION_IN_CODE } from './mentionsOf.ts'
import { pairMarks, type Mark } from './pairMarks.ts'
import type { CodeContent, Inline, Marked, Text } from './tree.ts'

/** The lines of a block without the signs of quotes and items that contain it, joined by line feeds. */
export interface Run {
  text: string
  /** Where a character of the text is in the source. */
  sourceAt: (at: number) => number
}

/** Counts the nodes of a message. A message with more than it permits is shown as code. */
export interface NodeBudget {
  nodesLeft: number
}

export interface InlineContext {
  budget: NodeBudget
  /** In a cell of a table a backslash before "|" is removed, also in code. */
  isCell?: boolean
  /** The text begins with "/me ", which is its author. */
  isAction?: boolean
}

/** Maximum depth of nested marks, links and spoilers: browsers cannot render an unbounded tree. */
const MAX_DEPTH = 20

const ANGLE_ADDRESS = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000}|[\w.+%-]{1,64}@[\w.-]{1,255})>/iy
const EMOJI_NAME = /:([a-z\d_+-]{1,64}):/y
const DOMAIN = /@[a-z\d][a-z\d-]{0,62}(?:\.[a-z\d][a-z\d-]{0,62}){1,10}/iy
const LOCAL_PART = /[\w.+%-]+$/
const MAX_LOCAL_PART = 64
/**
 * A formula has no spaces inside and no digit or letter behind, so that prices ("$5 or $6") and variables ("$A/$B") are
 * text.
 */
const FORMULA =
  /\$(?:\$([^$]{1,1998})\$\$|((?:\\.|[^\s$\\])(?:(?:\\.|[^$\n\\]){0,498}(?:\\.|[^\s$\\]))?)\$(?![\w$]))/y
/** What can begin a mark, a token or an address. */
const SIGN = /[\\`*_~|$<[\]!:@\n]|[Hh][Tt][Tt][Pp][Ss]?:\/\/|[Ww][Ww][Ww]\./g

/** A `[` that has no `]` yet. */
interface Bracket {
  /** Index of its text among the items. */
  item: number
  sign: '[' | '!['
  slashes: number
}

type Item = Inline | Mark

/** The formatted text of a block. */
export function parseInlines({ text, sourceAt }: Run, context: InlineContext): Inline[] {
  const { budget, isCell = false } = context
  const items: Item[] = []
  let brackets: Bracket[] = []
  /** Where the text begins that is in no item yet. */
  let from = 0
  let runs: Map<number, number[]> | null = null
  /** Runs of backticks that would end the code of an escaped run. */
  const escapedEnds = new Set<number>()

  const add = (item: Item): void => {
    budget.nodesLeft -= 1
    if (budget.nodesLeft < 0) throw new RangeError('The text has too many nodes.')
    items.push(item)
  }
  const addText = (shown: string, start: number, end: number): void => {
    if (end > start) add({ type: 'text', text: shown, start: sourceAt(start), end: sourceAt(end) })
  }
  /** Adds the text before a sign and its backslashes. Of the backslashes, each pair is one. */
  const flush = (at: number, slashes: number): void => {
    addText(text.slice(from, at - slashes), from, at - slashes)
    addText('\\'.repeat(slashes >> 1), at - slashes, at)
  }
  /** Adds a node, or, behind an odd number of backslashes, the text of it that is not read again. */
  const addNode = (node: Item, at: number, end: number, slashes: number, textEnd = end): number => {
    flush(at, slashes)
    if (slashes % 2 === 0) add(node)
    else addText(text.slice(at, textEnd), at, textEnd)
    from = slashes % 2 === 0 ? end : textEnd
    return from
  }
  const range = (start: number, end: number) => ({ start: sourceAt(start), end: sourceAt(end) })
  const textNode = (start: number, end: number): Text => ({
    type: 'text',
    text: text.slice(start, end),
    ...range(start, end),
  })

  if (context.isAction) {
    add({ type: 'mention', who: 'me', ...range(0, 3) })
    from = 3
  }
  let at = from
  for (;;) {
    SIGN.lastIndex = at
    const found = SIGN.exec(text)
    if (!found) break
    at = found.index
    let slashes = 0
    while (text[at] === '\\') {
      slashes += 1
      at += 1
    }
    // An address may follow a backslash: it is not a sign.
    at =
      readSign(at, slashes) ?? at + (slashes === 0 ? found[0].length : /[hw]/i.test(text[at] ?? '') ? 0 : 1)
  }
  addText(text.slice(from), from, text.length)
  return build(items, text, sourceAt)

  /** Reads what begins at a sign; returns its end, or undefined if the sign is text. */
  function readSign(at: number, slashes: number): number | undefined {
    switch (text[at]) {
      case '\n':
        addText(text.slice(from, at), from, at)
        add({ type: 'lineBreak', ...range(at, at + 1) })
        return (from = at + 1)
      case '`':
        return readCode(at, slashes)
      case '|':
        if (isCell && slashes % 2 === 1) {
          flush(at, slashes)
          from = at
          return at + 1
        }
        return readMark(at, slashes)
      case '*':
      case '_':
      case '~':
        return readMark(at, slashes)
      case '$':
        return readFormula(at, slashes)
      case '<':
        return readAngle(at, slashes)
      case '!':
        return text[at + 1] === '[' ? openBracket(at, slashes, '![') : undefined
      case '[':
        return openBracket(at, slashes, '[')
      case ']':
        return closeBracket(at, slashes)
      case ':':
        return slashes % 2 === 1 && isScheme(at - slashes) && text.startsWith('//', at + 1)
          ? addNode(textNode(at, at + 1), at, at + 1, slashes)
          : readEmojiName(at, slashes)
      case '.':
        return slashes % 2 === 1 &&
          /(?:^|[^\w.])www$/i.test(text.slice(Math.max(from, at - slashes - 4), at - slashes))
          ? addNode(textNode(at, at + 1), at, at + 1, slashes)
          : undefined
      case '@':
        return readMailbox(at, slashes)
      case 'h':
      case 'H':
      case 'w':
      case 'W':
        return slashes > 0 ? undefined : readBareAddress(at)
    }
    return undefined
  }

  function isScheme(end: number): boolean {
    return /https?$/i.test(text.slice(Math.max(from, end - 5), end))
  }

  /** A mark is never within a word or number: `2*3*4`, `snake_case`, `a||b`. */
  function readMark(at: number, slashes: number): number {
    const sign = text[at] as Mark['sign']
    let end = at + 1
    while (text[end] === sign) end += 1
    const count = end - at
    if (count > 3 || (sign !== '*' && count !== (sign === '_' ? 1 : 2))) return end
    const before = characterBefore(text, at - slashes)
    const after = characterAt(text, end)
    const canOpen = canOpenMark(count, before, after)
    const canClose = canCloseMark(count, before, after)
    if (!canOpen && !canClose) return end
    addText(text.slice(from, at - slashes), from, at - slashes)
    add({
      type: 'mark',
      sign,
      count,
      canOpen,
      canClose,
      slashes,
      at,
      isActive: false,
      left: count,
      opens: [],
      closes: [],
    })
    return (from = end)
  }

  /** Code is within one line, between equal numbers of backticks. */
  function readCode(at: number, slashes: number): number {
    let open = at + 1
    while (text[open] === '`') open += 1
    if (escapedEnds.has(at) && slashes % 2 === 1) return addNode(textNode(at, open), at, open, slashes)
    runs ??= findRuns(text)
    const ends = runs.get(open - at)!
    // Ends are sorted in descending order: those behind this run are left.
    while (ends.length > 0 && ends.at(-1)! < open) ends.pop()
    const close = ends.at(-1)
    if (close === undefined) return open
    const inside = text.slice(open, close)
    if (inside.includes('\n')) return open
    if (slashes % 2 === 1) escapedEnds.add(close)
    const end = close + open - at
    const trim = /^ .*[^ ].* $/.test(inside) ? 1 : 0
    const code = {
      text: text.slice(open + trim, close - trim),
      sourceAt: (n: number) => sourceAt(open + trim + n),
    }
    return addNode(
      { type: 'code', children: parseCode(code, context), ...range(at, end) },
      at,
      end,
      slashes,
      open,
    )
  }

  function readFormula(at: number, slashes: number): number | undefined {
    if (/[\w$]/.test(text[at - slashes - 1] ?? '')) return undefined
    const found = matchAt(FORMULA, text, at)
    if (!found) return text[at + 1] === '$' ? at + 2 : undefined
    // A mention is a mention wherever it stands.
    if (hasMention(found[0])) return undefined
    const end = at + found[0].length
    const tex = withoutEscapedMentions(found[1] ?? found[2]!)
    return addNode(
      { type: 'formula', text: tex, isDisplay: found[1] !== undefined, ...range(at, end) },
      at,
      end,
      slashes,
      at + (found[1] === undefined ? 1 : 2),
    )
  }

  function readAngle(at: number, slashes: number): number | undefined {
    const mention = matchAt(MENTION, text, at)
    if (mention) {
      const end = at + mention[0].length
      const who = mention[1] ?? mention[2] ?? mention[3]!
      return addNode({ type: 'mention', who, ...range(at, end) }, at, end, slashes)
    }
    const found = matchAt(ANGLE_ADDRESS, text, at)
    if (!found) return undefined
    const written = found[1]!
    const href = safeHref(/^(?:https?|mailto):/i.test(written) ? written : `mailto:${written}`)
    if (href === null) return undefined
    const end = at + found[0].length
    const children = [textNode(at + 1, end - 1)]
    return addNode(
      { type: 'link', form: 'angle', href, children, ...range(at, end) },
      at,
      end,
      slashes,
      at + 1,
    )
  }

  function readEmojiName(at: number, slashes: number): number | undefined {
    const found = matchAt(EMOJI_NAME, text, at)
    if (!found) return undefined
    const end = at + found[0].length
    const before = characterBefore(text, at - slashes)
    if (isWord(before) || isWord(characterAt(text, end))) return undefined
    // In "std::map::end" no name is between colons.
    if (before === ':' && (at !== from || items.at(-1)?.type !== 'emoji')) return undefined
    return addNode({ type: 'emoji', name: found[1]!, ...range(at, end) }, at, end, slashes)
  }

  function readMailbox(at: number, slashes: number): number | undefined {
    const domain = matchAt(DOMAIN, text, at)
    if (
      !domain ||
      !/\.[a-z-]{2,}$/i.test(domain[0]) ||
      /[A-Za-z\d@-]/.test(text[at + domain[0].length] ?? '')
    )
      return undefined
    const end = at + domain[0].length
    const local = LOCAL_PART.exec(
      text.slice(Math.max(from, at - slashes - MAX_LOCAL_PART), at - slashes),
    )?.[0]
    if (local === undefined) return undefined
    const start = at - slashes - local.length
    const before = characterBefore(text, start)
    if (isWord(before) || before === '/') return undefined
    if (slashes > 0) return slashes % 2 === 1 ? addNode(textNode(at, at + 1), at, at + 1, slashes) : undefined
    const written = text.slice(start, end)
    return addNode(
      {
        type: 'link',
        form: 'bare',
        href: `mailto:${written}`,
        children: [textNode(start, end)],
        ...range(start, end),
      },
      start,
      end,
      0,
    )
  }

  function readBareAddress(at: number): number | undefined {
    const found = isWord(characterBefore(text, at)) ? null : readAddress(text, at)
    if (!found) return undefined
    const { href, end } = found
    const children = [textNode(at, end)]
    return addNode({ type: 'link', form: 'bare', href, children, ...range(at, end) }, at, end, 0)
  }

  function openBracket(at: number, slashes: number, sign: Bracket['sign']): number {
    addText(text.slice(from, at - slashes), from, at - slashes)
    brackets.push({ item: items.length, sign, slashes })
    const end = at + sign.length
    addText(text.slice(at - slashes, end), at - slashes, end)
    return (from = end)
  }

  /** `](address)` makes a link of what follows the last bracket. */
  function closeBracket(at: number, slashes: number): number | undefined {
    const bracket = brackets.at(-1)
    if (!bracket) return undefined
    const found = text[at + 1] === '(' ? readTarget(text, at + 2) : null
    if (slashes % 2 === 1) return found ? addNode(textNode(at, at + 1), at, at + 1, slashes) : undefined
    brackets.pop()
    if (!found) return undefined
    flush(at, slashes)
    from = at
    const open = items[bracket.item] as Text
    const isEscaped = bracket.slashes % 2 === 1
    let before = '\\'.repeat(bracket.slashes >> 1)
    if (isEscaped && bracket.sign === '[') {
      // Without the backslash this would be a link.
      open.text = `${before}[`
      return at + 1
    }
    if (isEscaped) before += '!'
    const form = bracket.sign === '![' && !isEscaped ? 'image' : 'text'
    const children = withoutAddresses(build(items.slice(bracket.item + 1), text, sourceAt))
    if (children.every((one) => one.type === 'lineBreak' || (one.type === 'text' && one.text.trim() === '')))
      return at + 1
    const start = open.end - (form === 'image' ? 2 : 1)
    items.length = bracket.item
    if (before !== '') items.push({ ...open, text: before, end: start })
    add({ type: 'link', form, href: found.href, children, start, end: sourceAt(found.end) })
    // A link contains no other link. The text of a picture may be the text of a link.
    if (form === 'text') brackets = []
    return (from = found.end)
  }
}

/** What is not before a single mark that opens: punctuation that ends a word or joins words, as in `(a)*(b)` and `a.*b`. */
const BEFORE_ONE = /^[)\]}.,;:!?%@&=+/\\#\p{Sk}]/u
/** What does not follow it, as in `*)`. */
const AFTER_ONE = /^[)\]},;:!?%/\\]/
/** What is not before a double mark that opens. */
const BEFORE_TWO = /^[)\]}/\\]/

/** Whether one to three equal signs between two characters can begin a mark. */
export function canOpenMark(count: number, before: string, after: string): boolean {
  return (
    !isBlank(after) &&
    !isWord(before) &&
    !(count === 1 ? BEFORE_ONE.test(before) || AFTER_ONE.test(after) : BEFORE_TWO.test(before))
  )
}

/** Whether they can end one. */
export function canCloseMark(count: number, before: string, after: string): boolean {
  return !isBlank(before) && !isWord(after) && !(count === 1 && /[([{]/.test(before))
}

/** Mentions in code; the rest is text. */
export function parseCode({ text, sourceAt }: Run, { budget, isCell = false }: InlineContext): CodeContent {
  const content: CodeContent = []
  const addText = (start: number, end: number, shown = text.slice(start, end)): void => {
    const piece = isCell ? shown.replaceAll('\\|', '|') : shown
    const last = content.at(-1)
    if (end <= start) return
    if (last?.type === 'text') {
      last.text += piece
      last.end = sourceAt(end)
    } else content.push({ type: 'text', text: piece, start: sourceAt(start), end: sourceAt(end) })
  }
  let from = 0
  if (text.includes('<')) {
    for (const { 0: whole, 1: slashes = '', 2: token = '', ...ids } of text.matchAll(MENTION_IN_CODE)) {
      const start = ids.index + slashes.length
      const end = ids.index + whole.length
      addText(from, ids.index)
      if (slashes !== '') addText(ids.index, start, '\\'.repeat(slashes.length >> 1))
      if (slashes.length % 2 === 1) addText(start, end, token)
      else {
        budget.nodesLeft -= 1
        if (budget.nodesLeft < 0) throw new RangeError('The text has too many nodes.')
        const who = ids[3] ?? ids[4] ?? ids[5]!
        content.push({ type: 'mention', who, start: sourceAt(start), end: sourceAt(end) })
      }
      from = end
    }
  }
  addText(from, text.length)
  return content
}

/** The starts of all runs of backticks by their length, the last one first. */
function findRuns(text: string): Map<number, number[]> {
  const runs = new Map<number, number[]>()
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const starts = runs.get(run.length)
    if (starts) starts.push(index)
    else runs.set(run.length, [index])
  }
  for (const starts of runs.values()) starts.reverse()
  return runs
}

/** The text of a link, in which addresses are text. */
function withoutAddresses(children: Inline[]): Inline[] {
  const changed = children.flatMap((one): Inline[] => {
    if (one.type === 'link') return one.children
    if (one.type === 'code' || !('children' in one)) return [one]
    one.children = withoutAddresses(one.children)
    return [one]
  })
  return mergeTexts(changed)
}

function mergeTexts(nodes: Inline[]): Inline[] {
  const merged: Inline[] = []
  for (const node of nodes) pushMerged(merged, node)
  return merged
}

function pushMerged(nodes: Inline[], node: Inline): void {
  const last = nodes.at(-1)
  if (node.type === 'text' && last?.type === 'text' && last.end === node.start)
    nodes[nodes.length - 1] = { ...last, text: last.text + node.text, end: node.end }
  else if (node.type !== 'text' || node.text !== '' || node.end > node.start) nodes.push(node)
}

/** The tree of items: what is between two paired marks is in a node. */
function build(items: readonly Item[], text: string, sourceAt: (at: number) => number): Inline[] {
  const marks = items.filter((item) => item.type === 'mark')
  if (marks.length === 0) return mergeTexts(items as Inline[])
  pairMarks(marks)
  const root: Inline[] = []
  const frames: { type: Marked['type']; start: number; nodes: Inline[]; isText: boolean }[] = []
  let nodes = root
  const addText = (shown: string, start: number, end: number): void => {
    if (end > start)
      pushMerged(nodes, { type: 'text', text: shown, start: sourceAt(start), end: sourceAt(end) })
  }
  for (const item of items) {
    if (item.type !== 'mark') {
      pushMerged(nodes, item)
      continue
    }
    const { at, slashes, isActive, sign } = item
    addText('\\'.repeat(isActive ? slashes >> 1 : slashes), at - slashes, at)
    let end = at
    for (const type of item.closes) {
      const length = lengthOf(type, sign)
      const { start, nodes: children, isText } = frames.pop()!
      if (isText) addText(sign.repeat(length), end, end + length)
      else {
        nodes = frames.findLast((frame) => !frame.isText)?.nodes ?? root
        nodes.push({ type, children, start: sourceAt(start), end: sourceAt(end + length) })
      }
      end += length
    }
    addText(sign.repeat(item.left), end, end + item.left)
    end += item.left
    for (const type of item.opens) {
      const length = lengthOf(type, sign)
      const isText = frames.length >= MAX_DEPTH
      frames.push({ type, start: end, nodes: [], isText })
      if (isText) addText(sign.repeat(length), end, end + length)
      else nodes = frames.at(-1)!.nodes
      end += length
    }
  }
  return root
}

function lengthOf(type: Marked['type'], sign: string): number {
  return type === 'emphasis' ? 1 : sign === '_' ? 1 : 2
}
