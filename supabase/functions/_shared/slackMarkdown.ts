import { escapeMentions } from '../../../wire/body/escapeMentions.ts'

/** Characters of a private range, which no text of a sender has after `plainText` or `slackMarkdown` has removed them. */
const PRIVATE = /[\uE000-\uE0FF]/g
const OPEN = '\uE000'
const CLOSE = '\uE001'
const MARKS: Record<string, string> = { '\uE002': '**', '\uE003': '*', '\uE004': '~~' }

/** Slack escapes these three characters, and no others. */
function decode(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/**
 * The name of an emoji, whose underscores are no marks, or a sign that may be a mark. `>` is one at the beginning of a line
 * only: the encoder needs a mention as one piece.
 */
const SIGN = /(:[a-z\d+-][a-z\d_+'-]{0,99}:)|[\\`*_~[\]|<#$]|^[ \t]*>/gm

function escapeSigns(text: string): string {
  return text.replaceAll(SIGN, (found, emoji?: string) => emoji ?? found.replace(/\S/, '\\$&'))
}

/** What would begin an item of a list. */
const ITEM = /^([ \t]*\d{0,9})(?=(?:[-+]|(?<=\d)[.)])[ \t])/gm

/**
 * The Markdown of a text that is shown as it is and notifies nobody, with a backslash before each sign. The result of a
 * whole message keeps the necessary backslashes only (`keepNecessaryEscapes`).
 */
export function plainText(text: string): string {
  return escapeSigns(text.replaceAll(PRIVATE, '')).replaceAll(ITEM, '$1\\')
}

/** A plain text of Slack's, in which three characters are entities. */
export function slackPlainText(text: string): string {
  return plainText(decode(text))
}

/** Code within a line. */
export function codeSpan(code: string): string {
  const line = code.replaceAll(PRIVATE, '').replaceAll(/\s*\n\s*/g, ' ')
  if (line.trim() === '') return line
  const ticks = '`'.repeat(longestRun(line) + 1)
  const space = ticks.length > 1 ? ' ' : ''
  return ticks + space + escapeMentions(line) + space + ticks
}

/** A block of code. */
export function codeBlock(code: string): string {
  const lines = code.replaceAll(PRIVATE, '').replace(/^\n/, '').replace(/\n$/, '')
  const ticks = '`'.repeat(Math.max(2, longestRun(lines)) + 1)
  return `${ticks}\n${escapeMentions(lines)}\n${ticks}`
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}

/** Lines as a quote. */
export function quote(markdown: string): string {
  return markdown.replaceAll(/^/gm, '> ').replaceAll(/^> $/gm, '>')
}

/** A sign of the text beside a mark would be read as a part of it. */
const SIGN_BESIDE = /^\\[*_~]|\\[*_~]$/

/** Markdown with a mark around each of its lines where possible, and blanks outside of it. */
export function emphasize(markdown: string, mark: '**' | '*' | '~~'): string {
  return markdown.replaceAll(
    /^([ \t]*)(\S(?:.*\S)?)([ \t]*)$/gm,
    (line: string, before: string, content: string, after: string) =>
      SIGN_BESIDE.test(content) ? line : [before, mark, content, mark, after].join(''),
  )
}

/** A link with this Markdown as its text; the text alone if the address leads neither to the web nor to a mailbox. */
export function link(label: string, address: string): string {
  const url = webAddress(address)
  const line = label.replaceAll(/\s*\n\s*/g, ' ').trim()
  if (url === null) return line
  return line === '' ? `<${url}>` : `[${line}](<${url}>)`
}

/** The address of a web page or mailbox, without what would end the link; null for any other or a longer one. */
export function webAddress(address: string): string | null {
  if (address.length > 1_900 || !/^(?:https?:\/\/|mailto:)/i.test(address)) return null
  try {
    const url = new URL(address).href
      .replaceAll('<', '%3C')
      .replaceAll('>', '%3E')
      .replaceAll('\\', '%5C')
      .replaceAll('|', '%7C')
    return url.length > 1_900 ? null : url
  } catch {
    return null
  }
}

/** A skin tone behind the name of an emoji. */
const SKIN_TONE = /(:[a-z\d+-][a-z\d_+'-]{0,99}:):skin-tone-[2-6]:/g

/** A code block or span, or a mark between angle brackets. */
const SPECIAL = /```([\s\S]*?)```|`([^`\n]+)`|<([^<>\n]{1,3000})>/g

/**
 * Slack's mrkdwn as Markdown: `*bold*`, `_italic_`, `~struck~`, `<url|text>`, quotes and code. Mentions become "@" and their
 * names, which `composeMessage` can make mentions again; only `<@profile-id>`, which Slack does not have, mentions a person.
 */
export function slackMarkdown(text: string): string {
  const specials: string[] = []
  const clean = text.replaceAll(PRIVATE, '').replaceAll(SKIN_TONE, '$1')
  const marked = clean.replaceAll(SPECIAL, (found, block?: string, span?: string, mark?: string, at = 0) => {
    const special = `${OPEN}${specials.push(formatSpecial(block, span, mark)) - 1}${CLOSE}`
    if (block === undefined) return special
    const [before, after] = [clean[at - 1] ?? '\n', clean[at + found.length] ?? '\n']
    return (before === '\n' ? '' : '\n') + special + (after === '\n' ? '' : '\n')
  })
  return formatText(marked)
    .replaceAll(/\uE000(\d+)\uE001/g, (_found, at: string) => specials[Number(at)] ?? '')
    .replaceAll(/[\uE002-\uE004]/g, (mark) => MARKS[mark] ?? '')
}

function formatSpecial(block?: string, span?: string, mark = ''): string {
  if (block !== undefined) return codeBlock(decode(block))
  return span === undefined ? formatMark(mark) : codeSpan(decode(span))
}

const PROFILE_ID = /^@[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** What stands between `<` and `>`. */
function formatMark(mark: string): string {
  const bar = mark.indexOf('|')
  const target = bar < 0 ? mark : mark.slice(0, bar)
  const label = bar < 0 ? '' : mark.slice(bar + 1).trim()
  switch (target[0]) {
    case '@':
      return PROFILE_ID.test(mark) ? `<${mark}>` : `@${slackPlainText((label || target).replace(/^@/, ''))}`
    case '#':
      return `\\#${slackPlainText((label || target).replace(/^#/, ''))}`
    case '!':
      return formatCommand(target.slice(1), label)
  }
  const address = decode(target)
  if (webAddress(address) === null) return slackPlainText(mark)
  return label === '' || label === target ? link('', address) : link(formatLabel(label), address)
}

/** The text of a link can have marks. */
function formatLabel(label: string): string {
  return formatText(label).replaceAll(/[\uE002-\uE004]/g, (mark) => MARKS[mark] ?? '')
}

/** `!here`, `!channel`, `!subteam^id|@name`, `!date^time^format|fallback`. */
function formatCommand(command: string, label: string): string {
  if (command === 'everyone') return '@channel'
  if (label !== '' && command !== 'channel' && command !== 'here') return slackPlainText(label)
  return `@${slackPlainText(command.split('^')[0] ?? '')}`
}

/** Before and behind a mark is neither a letter, a digit nor another sign of its kind. */
const BOLD = /(?<![\p{L}\p{N}_*\\])\*(?![\s*])([^*\n]*[^\s*])\*(?![\p{L}\p{N}_*])/gu
const ITALIC = /(?<![\p{L}\p{N}_\\])_(?![\s_])([^_\n]*[^\s_])_(?![\p{L}\p{N}_])/gu
const STRUCK = /(?<![\p{L}\p{N}_~\\])~(?![\s~])([^~\n]*[^\s~])~(?![\p{L}\p{N}_~])/gu
const EMOJI = /:[a-z\d+-][a-z\d_+'-]{0,99}:/g

/** Marks of one character as private characters, which the caller replaces; all other signs are text. */
function formatText(text: string): string {
  const emoji: string[] = []
  return escapeSigns(
    decode(text)
      // The underscores of their names are no marks.
      .replaceAll(EMOJI, (name) => `\uE005${emoji.push(name) - 1}\uE006`)
      .replaceAll(BOLD, '\uE002$1\uE002')
      .replaceAll(ITALIC, '\uE003$1\uE003')
      .replaceAll(STRUCK, '\uE004$1\uE004')
      .replaceAll(/\uE005(\d+)\uE006/g, (_found, at: string) => emoji[Number(at)] ?? ''),
  ).replaceAll(/^[ \t]*\\>[ \t]?(?=.)/gm, '> ')
}
