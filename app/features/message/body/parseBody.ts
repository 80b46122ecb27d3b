import { Tokenizer, type MarkedOptions, type Token, type Tokens } from 'marked'
import { taskKey } from '../../../data/messages/reactionKeys.ts'
import { findCode, lexBounded } from './lexBounded.ts'

/** `<@profile-id>`, `<#channel-id>`, `<!channel>`, `<!here>`: a mention in a stored body. */
export interface MentionToken {
  type: 'mention'
  raw: string
  /** A profile id, 'channel' or 'here', or 'me': the author of an action. Of a link to a channel, its id after a "#". */
  who: string
}

const MENTION = /^<(?:@([0-9a-f]{8}-[0-9a-f-]{27})|(#[0-9a-f]{8}-[0-9a-f-]{27})|!(channel|here|me))>/

/** In Markdown, `<!channel>` at the start of a line is an HTML declaration. */
class MentionTokenizer extends Tokenizer {
  override html(source: string) {
    return MENTION.test(source) ? undefined : super.html(source)
  }
}

const OPTIONS: MarkedOptions = {
  tokenizer: new MentionTokenizer(),
  gfm: true,
  breaks: true,
  extensions: { inline: [readMention], startInline: [findMention], renderers: {}, childTokens: {} },
}

function findMention(source: string): number | undefined {
  const at = source.search(/<[@!#]/)
  return at < 0 ? undefined : at
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
  const tokens = lexBounded(text, OPTIONS)
  if (!tokens) return [{ type: 'code', raw: body, text: body }]
  if (TASK.test(text)) setTaskKeys(tokens, new Map())
  const blocks = findCode(tokens)
  if (blocks.reduce((sum, { text: code }) => sum + code.length, 0) > MAX_HIGHLIGHTED) {
    for (const block of blocks) block.lang = ''
  }
  return tokens
}

/** An item of a task list, with the key of its ticks. */
export type TaskItem = Tokens.ListItem & { taskKey?: string }

const TASK = /\[[ xX]\]/

/** `lines`: how often each line of a task was seen before. */
function setTaskKeys(tokens: Token[], lines: Map<string, number>): void {
  for (const token of tokens) {
    if (token.type === 'list') {
      for (const item of (token as Tokens.List).items as TaskItem[]) {
        const line = item.raw.trim().split('\n', 1)[0] ?? ''
        const before = lines.get(line) ?? 0
        if (item.task) {
          item.taskKey = taskKey(line, before)
          lines.set(line, before + 1)
        }
        setTaskKeys(item.tokens, lines)
      }
    } else if (token.type === 'blockquote') setTaskKeys(token.tokens ?? [], lines)
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
