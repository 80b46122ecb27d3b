import {
  codeBlock,
  codeSpan,
  emphasize,
  link,
  plainText,
  quote,
} from '../../../../supabase/functions/_shared/slackMarkdown.ts'
import { characterAt, characterBefore } from '../../../../wire/body/letters.ts'
import { canCloseMark, canOpenMark } from '../../../../wire/body/parseInlines.ts'

/** What the tokens of a text mean. Each result is Markdown; null: the token is text. */
export interface DiscordTokens {
  person(id: string): string | null
  role(id: string): string | null
  channel(id: string): string | null
  /** A custom emoji. `id` is empty where the export has only its name. */
  emoji(name: string, id: string): string | null
  /** The address that replaces a link to Discord; null for any other address. */
  address(url: string): string | null
  /** The people whose names stand in the text in place of their ids, the longest name first. */
  names: readonly { name: string; markdown: string }[]
}

/** A longer text has no marks: Discord permits 4,000 characters, and 4,096 in an embed. */
const maxCharacters = 10_000
/** Marks within marks. */
const maxDepth = 20

/**
 * The Markdown of a text of Discord, with a backslash before each sign that is text, as `composeMessage` expects it. Marks within
 * a word have no counterpart: their content stays. Underlined text becomes italic.
 */
export function discordMarkdown(text: string, tokens: DiscordTokens): string {
  const clean = text.replaceAll('\r\n', '\n')
  if (clean.length > maxCharacters) return plainLines(clean)
  return blocks(clean.split('\n'), tokens, false).join('\n')
}

/** Escapes lines of hyphens. Otherwise such a line is a rule, or makes the line before it the head of a table. */
function plainLines(text: string): string {
  return plainText(text).replaceAll(/^([ \t\\|:]*)(?<!\\)(-[-\\|: \t]*)$/gm, String.raw`$1\$2`)
}

const HEADING = /^ ?(#{1,3}) +(\S.*)$/
const SUBTEXT = /^ ?-# +(\S.*)$/
const ITEM = /^( {0,40})([-*]|\d{1,9}\.) +(\S.*)$/
const QUOTE = /^ ?> (.*)$/
const REST_QUOTE = /^ ?>>> (.*)$/

/** @param isInQuote quotes contain no quotes */
function blocks(given: readonly string[], tokens: DiscordTokens, isInQuote: boolean): string[] {
  const lines = [...given]
  const output: string[] = []
  let paragraph: string[] = []
  const flush = (): void => {
    if (paragraph.length > 0) output.push(inline(paragraph.join('\n'), { tokens, depth: 0 }))
    paragraph = []
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const rest = isInQuote ? null : REST_QUOTE.exec(line)
    if (rest !== null) {
      flush()
      output.push(quote(blocks([rest[1]!, ...lines.slice(at + 1)], tokens, true).join('\n')))
      return output
    }
    if (!isInQuote && QUOTE.test(line)) {
      flush()
      const quoted: string[] = []
      for (; at < lines.length && QUOTE.test(lines[at]!); at++) quoted.push(QUOTE.exec(lines[at]!)![1]!)
      at--
      output.push(quote(blocks(quoted, tokens, true).join('\n')))
      continue
    }
    const code = codeFrom(lines, at)
    if (code !== null) {
      if (code.before.trim() !== '') paragraph.push(code.before)
      flush()
      output.push(code.markdown)
      at = code.end
      // What follows the code begins a line of its own.
      if (code.after.trim() !== '') lines[at--] = code.after
      continue
    }
    const block = lineBlock(line, tokens, {
      isFirst: output.length + paragraph.length === 0,
      below: lines.slice(at + 1, at + 2),
    })
    if (block === null) {
      paragraph.push(line)
      continue
    }
    flush()
    output.push(...block)
  }
  flush()
  return output
}

/** A heading, small text, or item of a list. */
function lineBlock(
  line: string,
  tokens: DiscordTokens,
  { isFirst, below }: { isFirst: boolean; below: readonly string[] },
): string[] | null {
  const content = (text: string): string => inline(text, { tokens, depth: 0 })
  const heading = HEADING.exec(line)
  if (heading !== null) {
    const [, signs = '', text = ''] = heading
    // A heading has text below it, which is no heading.
    const isHeading = below.some((next) => next.trim() !== '' && !HEADING.test(next))
    if (!isHeading) return [emphasize(content(text), '**')]
    return [...(isFirst ? [] : ['']), `${signs} ${content(text)}`]
  }
  const subtext = SUBTEXT.exec(line)
  if (subtext !== null) return [emphasize(content(subtext[1]!), '*')]
  const item = ITEM.exec(line)
  if (item === null) return null
  const [, indentation = '', sign = '', text = ''] = item
  return [
    `${indentation.length > 0 ? indentation.padStart(2) : ''}${sign === '*' ? '-' : sign} ${content(text)}`,
  ]
}

/** A block of code that begins in a line, with the text around it; null if there is none. */
function codeFrom(
  lines: readonly string[],
  at: number,
): { before: string; markdown: string; after: string; end: number } | null {
  const line = lines[at]!
  const open = line.indexOf('```')
  if (open < 0 || line[open - 1] === '\\') return null
  const inner: string[] = []
  for (let end = at; end < lines.length; end++) {
    const text = end === at ? line.slice(open + 3) : lines[end]!
    const close = text.indexOf('```')
    if (close < 0) {
      inner.push(text)
      continue
    }
    inner.push(text.slice(0, close))
    const code = inner.join('\n')
    if (code.trim() === '') return null
    const [, language = ''] = /^([\w+#-]{1,20})\n/.exec(code) ?? []
    const markdown = codeBlock(code.slice(language.length)).replace(/^(`+)\n/, `$1${language}\n`)
    return { before: line.slice(0, open), markdown, after: text.slice(close + 3), end }
  }
  return null
}

interface Context {
  tokens: DiscordTokens
  depth: number
  isInLink?: boolean
  /** The characters around the text. */
  before?: string
  after?: string
}

const SHRUG = String.raw`¯\_(ツ)_/¯`
/** What can begin a mark, a token or an address. */
const SIGN = /[\\`*_~|<[@:]|https?:\/\/|¯\\_\(ツ\)_\/¯/g
const CODE = /(`+)([\s\S]*?[^`])\1(?!`)/y
const BACKTICKS = /`+/y
const MASKED =
  /\[((?:\\.|[^\]\\\n]){1,1000})\]\(<?(https?:\/\/(?:\([^\s()<>]{0,1000}\)|[^\s()<>]){1,1900})>?(?:[ ]+"[^"\n]{0,300}")?\)/y
const ANGLE = /<(https?:\/\/[^\s<>]{1,1900})>/y
const ADDRESS = /https?:\/\/[^\s<>]{0,1899}[^\s<>.,:;"'\]]/y
const TOKEN =
  /<(?:@!?(\d{1,20})|@&(\d{1,20})|#(\d{1,20})|a?:(\w{1,32}):(\d{1,20})|t:(-?\d{1,14})(?::([tTdDfFsSR]))?|\/([^:<>\n]{1,100}):\d{1,20}|id:(\w{1,30}))>/y
const EVERYONE = /@(everyone|here)\b/y
const EMOJI = /:(\w{1,64}):/y
const WORD = /[\p{L}\p{N}_]/u

type Sign = '***' | '**' | '*' | '_' | '~~' | '||'

/** Marks of Discord with what they become, the longest first. */
const MARKS: readonly { start: string; pattern: RegExp; sign: Sign }[] = [
  { start: '***', pattern: /\*\*\*(?=[^\s*])((?:\\[\s\S]|[^\\])+?)\*\*\*(?!\*)/y, sign: '***' },
  { start: '**', pattern: /\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/y, sign: '**' },
  { start: '*', pattern: /\*(?=[^\s*])((?:\*\*|\\[\s\S]|[^\\*])+?)(?<!\s)\*(?!\*)/y, sign: '*' },
  { start: '__', pattern: /__((?:\\[\s\S]|[^\\])+?)__(?!_)/y, sign: '*' },
  { start: '_', pattern: /(?<!\w)_((?:__|\\[\s\S]|[^\\_])+?)_(?!\w)/y, sign: '*' },
  { start: '~~', pattern: /~~((?:\\[\s\S]|[^\\])+?)~~/y, sign: '~~' },
  { start: '||', pattern: /\|\|((?:\\[\s\S]|[^\\])+?)\|\|/y, sign: '||' },
]

/** Text with marks and tokens. */
function inline(text: string, context: Context): string {
  const { tokens, depth } = context
  const output: string[] = []
  /** The plain text that is in no output yet. */
  let plain = ''
  const put = (markdown: string): void => {
    output.push(plainLines(plain), markdown)
    plain = ''
  }
  const match = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  /** Reads what begins at a sign; returns its end, or null if the sign is text. */
  const read = (at: number): number | null => {
    switch (text[at]) {
      case '¯':
        plain += SHRUG
        return at + SHRUG.length
      case '\\':
        return readEscape(at)
      case '`':
        return readCode(at)
      case '[': {
        const found = context.isInLink ? null : match(MASKED, at)
        if (found === null) return null
        const [all, label = '', address = ''] = found
        put(
          link(
            inline(label, { tokens, depth: depth + 1, isInLink: true }),
            tokens.address(address) ?? address,
          ),
        )
        return at + all.length
      }
      case '<':
      case 'h':
        return readToken(at) ?? readAddress(at)
      case '@':
        return readName(at)
      case ':': {
        const found = match(EMOJI, at)
        const emoji = found === null ? null : tokens.emoji(found[1]!, '')
        if (emoji === null) return null
        put(emoji)
        return at + found![0].length
      }
      default:
        return readMark(at)
    }
  }
  const readEscape = (at: number): number | null => {
    const escaped = characterAt(text, at + 1)
    if (escaped === '' || /[A-Za-z0-9\s]/.test(escaped)) return null
    // A name of an emoji has no backslashes in a plain text.
    if (escaped === ':') put(String.raw`\:`)
    else plain += escaped
    return at + 1 + escaped.length
  }
  const readCode = (at: number): number => {
    const found = match(CODE, at)
    if (found !== null) {
      put(codeSpan(found[2]!))
      return at + found[0].length
    }
    const [ticks] = match(BACKTICKS, at)!
    plain += ticks
    return at + ticks.length
  }
  const readToken = (at: number): number | null => {
    const found = match(TOKEN, at)
    const markdown = found === null ? null : tokenMarkdown(found, tokens)
    if (markdown === null) return null
    put(markdown)
    return at + found![0].length
  }
  const readAddress = (at: number): number | null => {
    if (context.isInLink) return null
    const angled = match(ANGLE, at)
    const found = angled?.[1] ?? match(ADDRESS, at)?.[0]
    if (found === undefined) return null
    const address = angled === null ? withoutClosing(found) : found
    put(link('', tokens.address(address) ?? address))
    return at + (angled?.[0] ?? address).length
  }
  const readName = (at: number): number | null => {
    const everyone = match(EVERYONE, at)?.[1]
    if (everyone !== undefined) {
      put(everyone === 'here' ? '<!here>' : '<!channel>')
      return at + 1 + everyone.length
    }
    const found = tokens.names.find(
      ({ name }) => text.startsWith(name, at + 1) && !WORD.test(characterAt(text, at + 1 + name.length)),
    )
    if (found === undefined) return null
    put(found.markdown)
    return at + 1 + found.name.length
  }
  const readMark = (at: number): number | null => {
    if (depth >= maxDepth) return null
    for (const kind of MARKS) {
      const found = text.startsWith(kind.start, at) ? match(kind.pattern, at) : null
      if (found === null) continue
      const end = at + found[0].length
      const before = at === 0 ? (context.before ?? '') : characterBefore(text, at)
      const after = end === text.length ? (context.after ?? '') : characterAt(text, end)
      const content = inline(found[1]!, { ...context, depth: depth + 1, before, after })
      put(marked(content, kind, before, after))
      return end
    }
    return null
  }
  for (let at = 0; at < text.length;) {
    const found = match(SIGN, at)
    plain += text.slice(at, found?.index)
    if (found === null) break
    const end = read(found.index)
    if (end === null) plain += found[0]
    at = end ?? found.index + found[0].length
  }
  put('')
  return output.join('')
}

/** A mark around each line of a content, where the formatter of messages would read it as one. */
function marked(
  content: string,
  { sign: wanted, start: typed }: (typeof MARKS)[number],
  before: string,
  after: string,
): string {
  const lines = content.split('\n')
  const mark = (line: string, at: number): string => {
    const text = line.trim()
    if (text === '') return line
    const start = line.indexOf(text)
    const [indentation, end] = [line.slice(0, start), line.slice(start + text.length)]
    // Two equal signs beside each other would be another mark.
    const isBeside = wanted === '*' && /^\*(?!\*)|(?<!\*)\*$/.test(text)
    const sign = isBeside ? '_' : wanted
    const isRead =
      canOpenMark(sign.length, at > 0 ? '' : (indentation.at(-1) ?? before), characterAt(text, 0)) &&
      canCloseMark(
        sign.length,
        characterBefore(text, text.length),
        at < lines.length - 1 ? '' : (end[0] ?? after),
      )
    // A sign of the text beside a mark would be read as a part of it.
    const hasSign = text.startsWith(`\\${sign[0]}`) || text.endsWith(`\\${sign[0]}`)
    if (isRead && !hasSign) return `${indentation}${sign}${text}${sign}${end}`
    // A single sign can be one of a calculation.
    return typed.length === 1 ? indentation + plainText(typed) + text + plainText(typed) + end : line
  }
  return lines.map(mark).join('\n')
}

/** The address without a bracket that the sentence around it closes. */
function withoutClosing(address: string): string {
  let found = address
  while (found.endsWith(')') && found.split('(').length < found.split(')').length) found = found.slice(0, -1)
  return found
}

function tokenMarkdown(found: RegExpExecArray, tokens: DiscordTokens): string | null {
  const [, person, role, channel, emojiName, emojiId, seconds, style, command, page] = found
  if (person !== undefined) return tokens.person(person)
  if (role !== undefined) return tokens.role(role)
  if (channel !== undefined) return tokens.channel(channel)
  if (emojiName !== undefined) return tokens.emoji(emojiName, emojiId!)
  if (seconds !== undefined) return plainText(timeText(Number(seconds), style))
  return plainText(command === undefined ? `#${page}` : `/${command}`)
}

/** A time as Discord's style of it has it. A relative one is written in full, since nothing counts it any more. */
function timeText(seconds: number, style = 'f'): string {
  const date = new Date(seconds * 1_000)
  if (Number.isNaN(date.getTime())) return 'Invalid date'
  const [day = '', time = ''] = date.toISOString().split('T')
  if (style === 'd' || style === 'D') return day
  const clock = `${time.slice(0, style === 'T' || style === 'S' ? 8 : 5)} UTC`
  return style === 't' || style === 'T' ? clock : `${day} ${clock}`
}
