/** Between `<` and what would make it a mention of ours: invisible, and never part of a mark. */
const wordJoiner = '\u2060'

/** Slack escapes these three characters, and no others. */
function decode(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** Text that is shown as it is, and notifies nobody: `<!here>` remains readable, but is no mention. */
export function plainText(text: string): string {
  return separateMarks(decode(text)).replaceAll(/[\\`*_~[\]|]/g, '\\$&')
}

/** Makes marks such as `<!here>` and `<@id>` text. */
export function separateMarks(text: string): string {
  return text.replaceAll(/<(?=[!@#])/g, `<${wordJoiner}`)
}

/** A code span or block, or a mark between angle brackets. */
const special = /```([\s\S]*?)```|`([^`\n]+)`|<([^<>\n]{1,3000})>/g

/**
 * Slack's mrkdwn as Markdown: `*bold*`, `_italic_`, `~struck~`, `<url|text>`, quotes and code. Mentions become their
 * names without notifying anybody; only `<@profile-id>`, which Slack does not have, mentions a person.
 */
export function slackMarkdown(text: string): string {
  const parts: string[] = []
  let end = 0
  for (const match of text.matchAll(special)) {
    append(parts, formatText(text.slice(end, match.index)))
    append(parts, formatSpecial(match))
    end = match.index + match[0].length
  }
  append(parts, formatText(text.slice(end)))
  return parts.join('')
}

/**
 * Adds a text that is no mention of ours with the one before: `<` and `!here>`. They are joined once, since each look at
 * the end of a text that grows copies the text.
 */
function append(parts: string[], part: string): void {
  if (part === '') return
  parts.push(parts.at(-1)?.endsWith('<') && /^[!@#]/.test(part) ? wordJoiner + part : part)
}

function formatSpecial([whole, block, span, mark]: RegExpMatchArray): string {
  if (block !== undefined)
    return '```\n' + separateMarks(decode(block)).replace(/^\n/, '').replace(/\n?$/, '\n') + '```'
  if (span !== undefined) return '`' + separateMarks(decode(span)) + '`'
  return mark === undefined ? formatText(whole) : formatMark(mark)
}

const profileId = /^@[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** What stands between `<` and `>`. */
function formatMark(mark: string): string {
  const bar = mark.indexOf('|')
  const target = bar < 0 ? mark : mark.slice(0, bar)
  const label = bar < 0 ? '' : mark.slice(bar + 1).trim()
  switch (target[0]) {
    case '@':
      return profileId.test(mark) ? `<${mark}>` : `@${plainText((label || target).replace(/^@/, ''))}`
    case '#':
      return `#${plainText((label || target).replace(/^#/, ''))}`
    case '!':
      return formatCommand(target.slice(1), label)
  }
  const url = webAddress(decode(target))
  if (url === null) return formatText(mark)
  return label === '' || label === target ? `<${url}>` : `[${plainText(label)}](<${url}>)`
}

/** `!here`, `!channel`, `!subteam^id|@name`, `!date^time^format|fallback`. */
function formatCommand(command: string, label: string): string {
  if (label !== '') return plainText(label)
  return `@${plainText(command.split('^')[0] ?? '')}`
}

/** The address of a web page or mailbox, without what would end the link; null for any other. */
export function webAddress(address: string): string | null {
  if (!/^(?:https?:\/\/|mailto:)/i.test(address)) return null
  try {
    return new URL(address).href.replaceAll('<', '%3C').replaceAll('>', '%3E')
  } catch {
    return null
  }
}

/** Bold and struck text, which Slack marks by one character where Markdown has two. */
function formatText(text: string): string {
  return separateMarks(decode(text))
    .replaceAll(/[\\[\]]/g, '\\$&')
    .replaceAll(/^(#{1,6})(?=\s)/gm, '\\$1')
    .replaceAll(/(^|[^\w*\\])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])/g, '$1**$2**')
    .replaceAll(/(^|[^\w~\\])~(?=[^\s~])([^~\n]*[^\s~])~(?![\w~])/g, '$1~~$2~~')
}
