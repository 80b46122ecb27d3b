import { Tokenizer, type Lexer, type MarkedOptions, type Token, type Tokens } from 'marked'
import { findTokens, lexBounded } from './lexBounded.ts'

/** `<@profile-id>`, `<@&group-id>`, `<#channel-id>`, `<!channel>`, `<!here>`: a mention in a stored body. */
export interface MentionToken {
  type: 'mention'
  raw: string
  /** A profile id, 'channel' or 'here', or 'me': the author of an action. Of a group, its id after an "&"; of a link to a channel, its id after a "#". */
  who: string
}

const MENTION = /^<(?:@(&?[0-9a-f]{8}-[0-9a-f-]{27})|(#[0-9a-f]{8}-[0-9a-f-]{27})|!(channel|here|me))>/

/** In Markdown, `<!channel>` at the start of a line is an HTML declaration. */
class MentionTokenizer extends Tokenizer {
  override html(source: string) {
    return MENTION.test(source) ? undefined : super.html(source)
  }
}

/** `||text||`: hidden until the reader wants to see it. */
export interface SpoilerToken {
  type: 'spoiler'
  raw: string
  tokens: Token[]
}

/** `$TeX$` within a line, `$$TeX$$` in one or several lines of its own. */
export interface FormulaToken {
  type: 'formula'
  raw: string
  text: string
  isDisplay: boolean
}

const OPTIONS: MarkedOptions = {
  tokenizer: new MentionTokenizer(),
  gfm: true,
  breaks: true,
  extensions: {
    inline: [readMention, readSpoiler, readFormula],
    startInline: [findExtension],
    renderers: {},
    childTokens: {},
  },
}
/** Nothing follows on its last line: in "$$- $$- $$-", each would begin a list within the list before. */
const BLOCK_FORMULA = /^\$\$[^$]{1,1998}\$\$[ \t]*(?:\n|$)/
/** The lexer searches for the start of a block behind each paragraph: only where there is one. */
const WITH_FORMULAS: MarkedOptions = {
  ...OPTIONS,
  extensions: {
    ...OPTIONS.extensions!,
    block: [(source) => (BLOCK_FORMULA.test(source) ? readFormula(source) : undefined)],
    startBlock: [(source) => indexOrNone(source.indexOf('\n$$') + 1 || -1)],
  },
}

function indexOrNone(at: number): number | undefined {
  return at < 0 ? undefined : at
}

/** Where the next mention, spoiler or formula may begin. */
function findExtension(source: string): number | undefined {
  return indexOrNone(source.search(/<[@!#]|\|\||\$/))
}

const SPOILER = /^\|\|(?=[^\s|])((?:[^|]|\|(?!\|)){0,998}[^\s|])\|\|/

function readSpoiler(this: { lexer: Lexer }, source: string): SpoilerToken | undefined {
  const found = SPOILER.exec(source)
  return found ? { type: 'spoiler', raw: found[0], tokens: this.lexer.inlineTokens(found[1]!) } : undefined
}

/** No spaces inside and no digit or letter behind, so that prices ("$5 or $6") and variables ("$A/$B") are text. */
const FORMULA =
  /^\$(?:\$([^$]{1,1998})\$\$|((?:\\.|[^\s$\\])(?:(?:\\.|[^$\n\\]){0,498}(?:\\.|[^\s$\\]))?)\$(?![\w$]))/

function readFormula(source: string): FormulaToken | undefined {
  const found = FORMULA.exec(source)
  return found
    ? { type: 'formula', raw: found[0], text: found[1] ?? found[2]!, isDisplay: found[1] !== undefined }
    : undefined
}

function readMention(source: string): MentionToken | undefined {
  const found = MENTION.exec(source)
  return found ? { type: 'mention', raw: found[0], who: found.slice(1).find(Boolean) ?? '' } : undefined
}

/**
 * Maximum number of highlighted characters in a message. Grammars are quadratic for some texts and run on the main
 * thread: 20,000 characters blocked it for 15 to 30 seconds.
 */
const MAX_HIGHLIGHTED = 2_000

/** "/me waves": a message that is shown as what its author does, "Ann waves". */
const ACTION = /^\/me[ \t]+(?=\S)/

export function isAction(body: string): boolean {
  return ACTION.test(body)
}

/**
 * The tokens of a message's Markdown. HTML remains a token of type `html`, which is shown as text. Leading spaces of
 * a line create no code block, since people indent without meaning one; they are kept in messages with fences or
 * lists, which need them. A message beyond the limits is shown as plain text in a code block. Code blocks lose their
 * language if they are too long together.
 */
export function parseBody(body: string): Token[] {
  const source = body.replace(ACTION, '<!me> ')
  const text = KEEPS_INDENTATION.test(source) ? source : source.replaceAll(INDENTATION, '')
  const tokens = lexBounded(text, text.includes('$$') ? WITH_FORMULAS : OPTIONS)
  if (!tokens) return [{ type: 'code', raw: body, text: body }]
  if (TASK.test(text)) setTaskLines(tokens, new Map())
  if (text.includes('$')) limitFormulas(tokens)
  const blocks = findTokens(tokens, ({ type }) => type === 'code') as Tokens.Code[]
  if (blocks.reduce((sum, { text: code }) => sum + code.length, 0) > MAX_HIGHLIGHTED) {
    for (const block of blocks) block.lang = ''
  }
  return tokens
}

/** Maximum characters of all formulas of a message, and their number: each costs the page up to a millisecond. */
const MAX_FORMULA_CHARACTERS = 3_000
const MAX_FORMULAS = 50

/** Beyond these limits, the formulas of a message are shown as they are written. */
function limitFormulas(tokens: Token[]): void {
  const formulas = findTokens(tokens, ({ type }) => type === 'formula')
  const characters = formulas.reduce((sum, { raw }) => sum + raw.length, 0)
  if (formulas.length <= MAX_FORMULAS && characters <= MAX_FORMULA_CHARACTERS) return
  for (const token of formulas) Object.assign(token, { type: 'text', text: token.raw })
}

/** An item of a task list, with what its ticks are for: how many equal lines are before its line, and the line. */
export type TaskItem = Tokens.ListItem & { taskLine?: string }

const TASK = /\[[ xX]\]/

/** `lines`: how often each line of a task was seen before. */
function setTaskLines(tokens: Token[], lines: Map<string, number>): void {
  for (const token of tokens) {
    if (token.type === 'list') {
      for (const item of (token as Tokens.List).items as TaskItem[]) {
        const line = item.raw.trim().split('\n', 1)[0] ?? ''
        const before = lines.get(line) ?? 0
        if (item.task) {
          item.taskLine = `${before} ${line}`
          lines.set(line, before + 1)
        }
        setTaskLines(item.tokens, lines)
      }
    } else if (token.type === 'blockquote') setTaskLines(token.tokens ?? [], lines)
  }
}

const KEEPS_INDENTATION = /^ {0,3}(?:```|~~~)|^[ \t]*(?:[-*+]|\d{1,9}[.)])\s/m
const INDENTATION = /^(?: {4,}|\t)(?=\S)/gm

/** The URL of a link if it is harmless: web or email. Otherwise null. */
export function safeHref(href: string): string | null {
  try {
    // Browsers read a backslash as a slash, so that `https:\\host` would be an address.
    const url = new URL(href.replaceAll('\\', '%5C'))
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null
  } catch {
    return null
  }
}
