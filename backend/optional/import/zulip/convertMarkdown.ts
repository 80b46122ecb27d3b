import { emojiNamed } from '../../../../supabase/functions/_shared/emojiNamed.ts'
import {
  codeBlock,
  codeSpan,
  emphasize,
  link,
  plainText,
  quote,
  webAddress,
} from '../../../../supabase/functions/_shared/slackMarkdown.ts'
import { escapeMentions } from '../../../../wire/body/escapeMentions.ts'

/** How names and addresses of Zulip become Markdown of Linnet. Each function returns null for what it does not know. */
export interface MarkdownTarget {
  /**
   * A person, by the text between the asterisks of a mention.
   * @param isSilent whether the person is named and not mentioned
   */
  person(name: string, isSilent: boolean): string | null
  /** A stream, topic or message, by its names. */
  place(stream: string, topic: string | null, message: string | null): string | null
  /** The new address of a page of the server, such as `#narrow/…`, or the path of an upload. */
  address(address: string): { upload: string } | { page: string } | null
  /** The characters of a standard emoji that Zulip has under another name. */
  emoji(name: string): string | null
  onUpload(path: string): void
}

/** Quotes, spoilers and marks that contain each other. */
const maxDepth = 15
const maxFormula = 1_900

/** Converts a text of Zulip to Markdown of Linnet. Nothing in it becomes a mention or format that it was not. */
export function convertMarkdown(text: string, target: MarkdownTarget): string {
  const lines = text.replaceAll(/\r\n?/g, '\n').split('\n')
  return convertBlocks(lines, { target, isQuoted: false, depth: 0 })
}

interface Context {
  target: MarkdownTarget
  /** Mentions in a quote are silent. */
  isQuoted: boolean
  depth: number
}

const FENCE = /^(~{3,}|`{3,}) *(?:\{?\.?([\w+\-./#]+) *([^ ~`][^~`]*)? *\}?)?$/
const ITEM = /^( *)(?:([*+-])|(\d{1,9})\.) +(.*)$/
/** Linnet shows a box that people can tick, Zulip these characters. No backslash prevents the box. */
const BOX = /^\[[ x]\]/i
const WORD_JOINER = '\u2060'
const QUOTE = /^ {0,3}>/
const HEADING = /^(#{1,6})\s(.*?)#*$/
const RULE = /^ {0,3}([-_*])(?: {0,2}\1){2,} *$/
const COLUMNS = /^ *\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/
/** Longer lines are neither fences nor headings, which keeps the time in proportion to the length. */
const maxLine = 1_000
const readFence = (line: string): RegExpExecArray | null =>
  line.length > maxLine ? null : FENCE.exec(line.trimEnd())
const isContainer = (language: string): boolean => /^(?:quote|quoted|spoiler)$/i.test(language)

function convertBlocks(lines: readonly string[], context: Context): string {
  if (context.depth > maxDepth) return plainText(lines.join('\n'))
  const parts: string[] = []
  let paragraph: string[] = []
  const endParagraph = (): void => {
    if (paragraph.length > 0) parts.push(convertInline(paragraph.join('\n'), context))
    paragraph = []
  }
  let isInList = false
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const fence = readFence(line)
    const isFirst = paragraph.length === 0
    if (fence !== null) {
      endParagraph()
      const end = endOfFence(lines, at, fence)
      parts.push(convertFence(fence, lines.slice(at + 1, end), context))
      at = end
      isInList = false
    } else if (line.trim() === '') {
      endParagraph()
      parts.push('')
      isInList = isInList && /^ {2}/.test(lines[at + 1] ?? '')
    } else if (isFirst && !isInList && /^ {4}/.test(line)) {
      const end = findEnd(lines, at, (next) => /^ {4}/.test(next))
      parts.push(
        codeBlock(
          lines
            .slice(at, end)
            .map((one) => one.slice(4))
            .join('\n'),
        ),
      )
      at = end - 1
    } else if (QUOTE.test(line)) {
      endParagraph()
      // All lines of the block belong to the quote.
      const end = findEnd(lines, at, (next) => next.trim() !== '' && readFence(next) === null)
      const inner = lines.slice(at, end).map((one) => one.replace(/^ {0,3}> ?/, ''))
      parts.push(quote(convertBlocks(inner, { ...context, isQuoted: true, depth: context.depth + 1 })))
      at = end - 1
    } else if (
      isFirst &&
      line.includes('|') &&
      COLUMNS.test(lines[at + 1] ?? '') &&
      lines[at + 1]!.includes('|')
    ) {
      const end = findEnd(lines, at, (next) => next.includes('|'))
      parts.push(convertTable(lines.slice(at, end), context))
      at = end - 1
    } else if (ITEM.test(line) && !RULE.test(line)) {
      endParagraph()
      const [, indent = '', , number, text = ''] = ITEM.exec(line)!
      const marker = `${indent}${number === undefined ? '-' : `${number}.`} `
      parts.push(marker + (BOX.test(text) ? WORD_JOINER : '') + convertInline(text, context))
      isInList = true
    } else if (isInList && /^ {2}/.test(line)) {
      parts.push(line.replace(/\S.*$/, '') + convertInline(line.trim(), context))
    } else if (isFirst && RULE.test(line)) {
      parts.push('', '---', '')
    } else if (line.length <= maxLine && HEADING.test(line)) {
      endParagraph()
      const [, signs = '', text = ''] = HEADING.exec(line)!
      parts.push(convertHeading(signs, convertInline(text.trim(), context), lines.slice(at + 1), parts))
      isInList = false
    } else {
      paragraph.push(line.trim())
      isInList = false
    }
  }
  endParagraph()
  const isKept = (part: string, at: number): boolean => part !== '' || (at > 0 && parts[at - 1] !== '')
  return parts.filter(isKept).join('\n').replace(/\n$/, '')
}

/** A text that has a bold part already stays as it is. */
const bold = (markdown: string): string => (markdown.includes('**') ? markdown : emphasize(markdown, '**'))

/** A heading of Linnet has something below it. */
function convertHeading(
  signs: string,
  text: string,
  below: readonly string[],
  parts: readonly string[],
): string {
  if (text === '') return plainText(signs)
  if (below.every((line) => line.trim() === '')) return bold(text)
  const isApart = parts.length === 0 || parts.at(-1) === ''
  return `${isApart ? '' : '\n'}${signs} ${text}`
}

/** The first line from which on a condition does not hold. The line at `from` is not checked. */
function findEnd(lines: readonly string[], from: number, holds: (line: string) => boolean): number {
  let end = from + 1
  while (end < lines.length && holds(lines[end]!)) end++
  return end
}

/** The number of the line that ends a fence. Quotes and spoilers contain other fences. */
function endOfFence(lines: readonly string[], from: number, opening: RegExpExecArray): number {
  const open = [{ sign: opening[1]!, hasBlocks: isContainer(opening[2] ?? '') }]
  for (let at = from + 1; at < lines.length; at++) {
    const line = lines[at]!.trimEnd()
    const { sign, hasBlocks } = open.at(-1)!
    if (line === sign) open.pop()
    else if (hasBlocks) {
      const inner = readFence(line)
      if (inner !== null) open.push({ sign: inner[1]!, hasBlocks: isContainer(inner[2] ?? '') })
    }
    if (open.length === 0) return at
  }
  return lines.length
}

function convertFence(
  [, , language = '', header = '']: RegExpExecArray,
  lines: readonly string[],
  context: Context,
): string {
  const text = lines.join('\n')
  const inner = { ...context, depth: context.depth + 1 }
  switch (language.toLowerCase()) {
    case 'quote':
    case 'quoted':
      return quote(convertBlocks(lines, { ...inner, isQuoted: true }))
    case 'spoiler': {
      const title = header.replace(/ *\}? *$/, '')
      const first = title === '' ? [] : [bold(convertInline(title, inner))]
      return [...first, ...hide(lines, inner)].join('\n').trim()
    }
    case 'math':
      return /^[^$]+$/.test(text.trim()) && text.length <= maxFormula
        ? `$$\n${escapeMentions(text.trim())}\n$$`
        : codeBlock(text)
    default: {
      const name = /^[\w+#.-]{1,40}$/.test(language) ? language : ''
      return codeBlock(text).replace(/^`+/, `$&${name}`)
    }
  }
}

/** Each line as a spoiler: a spoiler of Linnet contains no blocks. */
function hide(lines: readonly string[], context: Context): string[] {
  let code: string | null = null
  return lines.flatMap((line) => {
    const fence = readFence(line)
    if (code === null && fence !== null) {
      code = isContainer(fence[2] ?? '') ? null : fence[1]!
      return []
    }
    if (code !== null && line.trimEnd() === code) {
      code = null
      return []
    }
    if (line.trim() === '') return ['']
    const text = code === null ? convertInline(line.trim(), context) : plainText(line.trim())
    return [`||${text}||`]
  })
}

function convertTable(lines: readonly string[], context: Context): string {
  const rows = lines.map((line) =>
    line
      .trim()
      .replaceAll(/^\||(?<!\\)\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  )
  return rows
    .map((cells, at) => cells.map((cell) => (at === 1 ? cell : convertInline(cell, context))))
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** The inline syntax, in the order in which Zulip looks for it. */
const TOKEN = new RegExp(
  [
    /(?<!`)(?<ticks>`+)(?!`)(?<code>[\s\S]{1,5000}?)(?<!`)\k<ticks>(?!`)/,
    /\*\*\*(?!\s)(?<strongItalic>[^*\n]{1,5000})(?<!\s)\*\*\*/,
    /(?<![^\s'"({[/<])@(?<silent>_?)(?:\*\*(?<person>[^*\n]{1,200})\*\*|\*(?<group>[^*\n]{1,200})\*)/,
    /(?<![\w$])\$\$(?<tex>[^\n_$](?:\\\$|[^$\n]){0,1900})\$\$(?![\w$])/,
    /(?<![^\s'"(,:<])#\*\*(?<stream>[^*>\n]{1,200})(?:>(?<topic>[^*\n]{0,200}?)(?:@(?<message>\d{1,12}))?)?\*\*/,
    /<time:(?<time>[^>\n]{1,100})>/,
    /(?<bracket>!?\[)/,
    /(?<![\p{L}\p{N}])(?<url>https?:\/\/[^\s<>"`]{1,3000})/u,
    /\*\*(?<strong>[^\n]{1,5000}?)\*\*/,
    /\*(?!\s)(?<italic>[^*\n]{1,5000})(?<!\s)\*/,
    /(?<!~)~~(?<struck>[^~\n]{1,5000}?)~~(?!~)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
)

function convertInline(text: string, context: Context): string {
  const parts: string[] = []
  const token = new RegExp(TOKEN)
  let from = 0
  for (;;) {
    const match = context.depth > maxDepth ? null : token.exec(text)
    if (match === null) break
    const groups = match.groups!
    const found =
      groups['bracket'] === undefined
        ? { markdown: convertToken(match, context), end: match.index + match[0].length }
        : readLink(text, match.index, match[0], context)
    if (found === null) continue
    let { end } = found
    if (groups['url'] !== undefined) end = match.index + trimAddress(groups['url']).length
    parts.push(convertText(text.slice(from, match.index), context), found.markdown)
    from = end
    token.lastIndex = end
  }
  parts.push(convertText(text.slice(from), context))
  return parts.join('')
}

/** Text in which only names of emoji are not shown as they are typed. */
function convertText(text: string, { target }: Context): string {
  const named = text.replaceAll(/:([a-z\d_+-]{1,60}):/g, (found, name: string) =>
    emojiNamed(name) === null ? (target.emoji(name) ?? found) : found,
  )
  return plainText(named)
}

function convertToken({ 0: found, groups = {} }: RegExpExecArray, context: Context): string {
  const { target } = context
  const inner = { ...context, depth: context.depth + 1 }
  const mark = (text: string, sign: '**' | '*' | '~~'): string => emphasize(convertInline(text, inner), sign)
  if (groups['code'] !== undefined) return codeSpan(groups['code'].trim())
  if (groups['strongItalic'] !== undefined) return emphasize(mark(groups['strongItalic'], '**'), '*')
  if (groups['person'] !== undefined)
    return target.person(groups['person'], groups['silent'] === '_' || context.isQuoted) ?? plainText(found)
  if (groups['group'] !== undefined)
    return plainText(`${groups['silent'] === '_' || context.isQuoted ? '' : '@'}${groups['group']}`)
  if (groups['tex'] !== undefined) return convertFormula(groups['tex'])
  if (groups['stream'] !== undefined)
    return (
      target.place(groups['stream'], groups['topic'] ?? null, groups['message'] ?? null) ?? plainText(found)
    )
  if (groups['time'] !== undefined) return plainText(formatTime(groups['time']) ?? found)
  if (groups['url'] !== undefined) return convertAddress(trimAddress(groups['url']), null, context)
  if (groups['strong'] !== undefined) return mark(groups['strong'], '**')
  if (groups['italic'] !== undefined) return mark(groups['italic'], '*')
  return mark(groups['struck'] ?? '', '~~')
}

function convertFormula(tex: string): string {
  const formula = tex.trim()
  return /^(?:\\.|[^$\n\\]){1,490}$/.test(formula) ? `$${escapeMentions(formula)}$` : codeSpan(tex)
}

/** A time in the zone of each reader; Linnet has one text for all of them. */
function formatTime(text: string): string | null {
  const isLocal = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?$/.test(text)
  const isZoned = /^\d{4}-\d\d-\d\d[T ].*(?:Z|[+-]\d\d:?\d\d)$/i.test(text)
  const time = /^\d{1,12}$/.test(text)
    ? Number(text) * 1_000
    : isLocal || isZoned
      ? Date.parse(`${text.replace(' ', 'T')}${isZoned ? '' : text.length > 10 ? 'Z' : ''}`)
      : Number.NaN
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? null : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** An address without the punctuation behind it. */
function trimAddress(address: string): string {
  let end = address.length
  for (; end > 0; end--) {
    const last = address[end - 1]!
    if (/[.,:;!?'*~\]}|]/.test(last)) continue
    if (last !== ')') break
    const shown = address.slice(0, end)
    if (shown.split('(').length >= shown.split(')').length) break
  }
  return address.slice(0, end)
}

/** The link at a bracket; null if there is none. */
function readLink(
  text: string,
  at: number,
  opening: string,
  context: Context,
): { markdown: string; end: number } | null {
  const labelStart = at + opening.length
  const labelEnd = closingOf(text, labelStart, '[', ']')
  if (labelEnd === null || text[labelEnd + 1] !== '(') return null
  const end = closingOf(text, labelEnd + 2, '(', ')')
  if (end === null) return null
  const [, angle, plain = ''] = /^\s*(?:<([^<>\n]*)>|(\S*?))(?:\s+(?:"[^\n]*"|'[^\n]*'))?\s*$/.exec(
    text.slice(labelEnd + 2, end),
  ) ?? [null, undefined, undefined]
  const address = angle ?? plain
  if (address === undefined || address === '') return null
  return { markdown: convertAddress(address, text.slice(labelStart, labelEnd), context), end: end + 1 }
}

const maxLinkCharacters = 4_000

function closingOf(text: string, from: number, open: string, close: string): number | null {
  let depth = 1
  for (let at = from; at < text.length && at < from + maxLinkCharacters; at++) {
    if (text[at] === open) depth++
    else if (text[at] === close && --depth === 0) return at
  }
  return null
}

/** @param label the text of a link in Markdown; null for an address alone */
function convertAddress(address: string, label: string | null, context: Context): string {
  const found = context.target.address(address)
  const isOwn = label === null || label.trim() === '' || label === address
  // The text of a link has no links or mentions.
  const text = isOwn ? '' : plainText(label)
  if (found !== null && 'upload' in found) {
    context.target.onUpload(found.upload)
    return isOwn ? plainText(decodeName(found.upload)) : text
  }
  const isDomain = /^(?:[\w-]{1,63}\.){1,10}[a-z]{2,20}(?:[/?#:]|$)/i.test(address)
  const isMailbox = /^[\w.+-]{1,64}@[\w.-]{1,200}$/.test(address)
  const url = found?.page ?? (isMailbox ? `mailto:${address}` : isDomain ? `http://${address}` : address)
  return webAddress(url) === null ? text || plainText(address) : link(text, url)
}

function decodeName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
