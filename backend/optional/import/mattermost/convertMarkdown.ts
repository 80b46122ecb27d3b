import { Marked, type Token, type Tokens } from 'marked'
import {
  codeBlock,
  codeSpan,
  emphasize,
  link,
  plainText,
  quote,
  webAddress,
} from '../../../../supabase/functions/_shared/slackMarkdown.ts'
import { emojiKey } from './emojiKey.ts'

/** What names in a text of Mattermost refer to. */
export interface References {
  /** The profile of a user; null if nobody has this name. */
  person(name: string): string | null
  /** The channel; null if the import does not have it. */
  channel(name: string): string | null
  /** The address in the application of a page of Mattermost; null for another address. */
  rewrite(address: string): string | null
}

/** A longer text is no post of Mattermost, which has at most 16,383 characters of one or two units. Its signs are text. */
export const maxFormatted = 2 * 16_383
/** Quotes, lists and marks within each other. */
const maxDepth = 20

/** Parses what Mattermost formats: HTML and the targets of links in a line of their own are text. */
const parser = new Marked({ gfm: true, breaks: true }).use({
  tokenizer: {
    html: () => undefined,
    tag: () => undefined,
    def: () => undefined,
    lheading: (source) => (/^[^\n]+\n {0,3}(?:={3,}|-{3,})[ \t]*(?:\n|$)/.test(source) ? false : undefined),
    link(source) {
      // A picture can have a size.
      const match =
        /^!\[([^\]\n]{0,300})\]\(([^()\s]{1,1900})[ \t]+=\d{1,5}(?:x\d{0,5})?(?:[ \t]+"[^"\n]{0,300}")?\)/.exec(
          source,
        )
      if (match === null) return false
      const [raw, text = '', href = ''] = match
      return { type: 'image', raw, href, title: null, text, tokens: [] }
    },
  },
})

/**
 * The text of a message of Mattermost as Markdown of a message, with a backslash before each sign of its text
 * (`keepNecessaryEscapes`). Mentions of people, channels and everybody are tokens.
 */
export function convertMarkdown(text: string, references: References): string {
  if (text.length > maxFormatted) return plainText(text)
  try {
    return convertBlocks(parser.lexer(text), { references, depth: 0 })
  } catch (error) {
    // Thousands of quotes within each other.
    if (error instanceof RangeError) return plainText(text)
    throw error
  }
}

interface Context {
  references: References
  depth: number
  /** The text of a link, which mentions nobody. */
  isLabel?: boolean
}

const within = (context: Context): Context => ({ ...context, depth: context.depth + 1 })

function convertBlocks(tokens: readonly Token[], context: Context): string {
  let markdown = ''
  let isApart = false
  for (const token of tokens) {
    if (token.type === 'space') {
      isApart = true
      continue
    }
    const block = convertBlock(token, context)
    if (block === '') continue
    const needsSpace = ['heading', 'hr', 'table'].includes(token.type)
    markdown += (markdown === '' ? '' : isApart || needsSpace ? '\n\n' : '\n') + block
    isApart = needsSpace || /\n[ \t]*\n$/.test(token.raw)
  }
  return markdown
}

function convertBlock(token: Token, context: Context): string {
  if (context.depth > maxDepth) return plainText(token.raw.trim())
  switch (token.type) {
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading
      return `${'#'.repeat(depth)} ${convertInlines(tokens, within(context)).replaceAll('\n', ' ')}`
    }
    case 'code': {
      const { text, lang = '' } = token as Tokens.Code
      const isLanguage = /^[\w+#.-]{1,30}$/.test(lang)
      // People also begin the code on the line with the backticks.
      const code = lang === '' || isLanguage ? text : `${lang}\n${text}`
      return codeBlock(code).replace('\n', () => `${isLanguage ? lang : ''}\n`)
    }
    case 'blockquote':
      return quote(convertBlocks((token as Tokens.Blockquote).tokens, within(context)))
    case 'list':
      return (token as Tokens.List).items.map((item) => convertItem(item, context)).join('\n')
    case 'table':
      return convertTable(token as Tokens.Table, within(context))
    case 'hr':
      return '---'
    case 'checkbox':
      return ''
    default:
      return convertInline(token, context)
  }
}

function convertItem(item: Tokens.ListItem, context: Context): string {
  const [, written = '-'] = /^[ \t]*([*+-]|\d{1,9}[.)])/.exec(item.raw) ?? []
  const marker = written === '+' ? '-' : written
  const box = item.task ? `[${item.checked ? 'x' : ' '}] ` : ''
  const [first = '', ...others] = convertBlocks(item.tokens, within(context)).split('\n')
  const indentation = ' '.repeat(marker.length + 1)
  return [
    `${marker} ${box}${first}`.trimEnd(),
    ...others.map((line) => (line === '' ? '' : indentation + line)),
  ].join('\n')
}

function convertTable({ header, align, rows }: Tokens.Table, context: Context): string {
  const row = (cells: readonly Tokens.TableCell[]): string =>
    `| ${cells.map(({ tokens }) => convertCell(convertInlines(tokens, context))).join(' | ')} |`
  const delimiters = { left: ':-', center: ':-:', right: '-:' }
  return [
    row(header),
    `|${align.map((side) => (side === null ? '-' : delimiters[side])).join('|')}|`,
    ...rows.map(row),
  ].join('\n')
}

/** In a cell, each bar has a backslash. */
function convertCell(markdown: string): string {
  return markdown.replaceAll('\n', ' ').replaceAll(/(?<!\\)\|/g, String.raw`\|`)
}

function convertInlines(tokens: readonly Token[], context: Context): string {
  let markdown = ''
  let before = ''
  for (const token of tokens) {
    markdown +=
      token.type === 'text' && token.tokens === undefined
        ? convertWords(token.text as string, before, context)
        : convertInline(token, context)
    before = token.raw.at(-1) ?? before
  }
  return markdown
}

function convertInline(token: Token, context: Context): string {
  if (context.depth > maxDepth) return plainText(token.raw)
  switch (token.type) {
    case 'paragraph':
    case 'text':
      return token.tokens === undefined
        ? convertWords((token as Tokens.Text).text, '', context)
        : convertInlines(token.tokens, within(context))
    case 'strong':
      return emphasize(convertInlines((token as Tokens.Strong).tokens, within(context)), '**')
    case 'em':
      return emphasize(convertInlines((token as Tokens.Em).tokens, within(context)), '*')
    case 'del':
      return emphasize(convertInlines((token as Tokens.Del).tokens, within(context)), '~~')
    case 'codespan':
      return codeSpan((token as Tokens.Codespan).text)
    case 'br':
      return '\n'
    case 'escape':
      return `\\${(token as Tokens.Escape).text}`
    case 'link':
      return convertLink(token as Tokens.Link, context)
    case 'image': {
      const { href, text, raw } = token as Tokens.Image
      if (webAddress(href) === null) return plainText(raw)
      return text.trim() === '' ? link('', href) : `!${link(plainText(text), href)}`
    }
    default:
      return plainText(token.raw)
  }
}

function convertLink({ raw, href, text, tokens }: Tokens.Link, context: Context): string {
  const isBare = !raw.startsWith('[')
  if (isBare && href === `mailto:${text}`) return `<${text}>`
  const rewritten = context.references.rewrite(href)
  // As it was typed, since `link` would encode its letters.
  if (isBare && rewritten === null && /^https?:\/\/[^\s<>\\|]{1,1900}$/i.test(text)) return `<${text}>`
  const address = rewritten ?? href
  // Such as the path of a page of Mattermost, or a link to another program.
  if (webAddress(address) === null) return plainText(raw)
  return link(isBare ? '' : convertInlines(tokens, { ...within(context), isLabel: true }), address)
}

/** A name of a person after "@", of a channel after "~", or of an emoji between colons. */
const reference = /(?<!\w)@([a-z\d][\w.-]{0,99})|(?<![\w~])~([a-z\d][\w-]{0,99})|:([a-z\d+-][\w+-]{0,99}):/gi

/** @param before the character before the text, which can be a part of the word */
function convertWords(text: string, before: string, { references, isLabel = false }: Context): string {
  const words = decodeEntities(text)
  let markdown = ''
  let from = 0
  for (const match of (before + words).matchAll(reference)) {
    const [found, person, channel, emoji] = match
    const start = match.index - before.length
    const converted =
      start < from ? null : convertReference({ person, channel, emoji }, isLabel ? null : references)
    if (converted === null) continue
    markdown += plainText(words.slice(from, start)) + converted.markdown
    from = start + found.length - converted.rest
  }
  return markdown + plainText(words.slice(from))
}

type Names = Record<'person' | 'channel' | 'emoji', string | undefined>

/** The Markdown of a reference, and how many characters at its end are no part of it; null if it is text. */
function convertReference(
  { person, channel, emoji }: Names,
  references: References | null,
): { markdown: string; rest: number } | null {
  if (emoji !== undefined) {
    const key = /_skin_tone$/i.test(emoji) ? emojiKey(emoji.toLowerCase()) : null
    return key === null || key.startsWith(':') ? null : { markdown: key, rest: 0 }
  }
  const name = (person ?? channel ?? '').toLowerCase()
  if (references === null) return null
  // The signs at the end of a sentence can be a part of the name.
  for (let end = name.length; end > 0 && (end === name.length || /[._-]/.test(name[end]!)); end--) {
    const markdown = tokenOf(name.slice(0, end), person === undefined ? 'channel' : 'person', references)
    if (markdown !== null) return { markdown, rest: name.length - end }
  }
  return null
}

function tokenOf(name: string, kind: 'person' | 'channel', references: References): string | null {
  if (kind === 'channel') {
    const id = references.channel(name)
    return id === null ? null : `<#${id}>`
  }
  if (name === 'here') return '<!here>'
  if (name === 'channel' || name === 'all') return '<!channel>'
  const id = references.person(name)
  return id === null ? null : `<@${id}>`
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

function decodeEntities(text: string): string {
  return text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (found, name: string) => entities[name] ?? found)
}
