import { escapeMentions } from '../../../../wire/body/escapeMentions.ts'
import { cutText } from '../../../../wire/texts.ts'
import { codeSpan, emphasize, link, plainText } from '../../_shared/slackMarkdown.ts'
import { textOf, type Fields } from '../../_shared/payloadFields.ts'

const maxLineCharacters = 250
const maxTextCharacters = 1_500

/** A text as one line; empty for anything else. */
export function lineOf(value: unknown): string {
  return cutText(
    textOf(value)
      .slice(0, 4 * maxLineCharacters)
      .replaceAll(/\s+/g, ' '),
    maxLineCharacters,
    '…',
  )
}

/** A text of the payload as one line of Markdown. */
export function line(value: unknown): string {
  return plainText(lineOf(value))
}

/** A text as a link, or alone without an address. */
export function linked(value: unknown, address: unknown): string {
  return link(line(value), textOf(address))
}

/** A text in bold. */
export function bold(value: unknown): string {
  return emphasize(line(value), '**')
}

/** A short text as code. */
export function code(value: unknown): string {
  return codeSpan(lineOf(value))
}

/** The beginning of a text of several lines. */
export function textBlock(value: unknown): string {
  return plainText(cutText(textOf(value), maxTextCharacters, '…'))
}

/** The beginning of a sender's Markdown, without comments of HTML. Its mentions are text. */
export function markdownBlock(value: unknown): string {
  const text = textOf(value)
    .replaceAll('\r', '')
    .slice(0, 20 * maxTextCharacters)
  return escapeMentions(cutText(text.replaceAll(/<!--[\s\S]*?-->/g, '').trim(), maxTextCharacters, '…'))
}

/** "1 commit", "2 commits". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** The first field that has a text. */
export function firstText(fields: Fields, ...keys: string[]): string {
  return keys.map((key) => textOf(fields[key])).find(Boolean) ?? ''
}

/** A time of ISO 8601 as the database stores it; none for anything else. */
export function timeField(value: unknown): { at?: string } {
  const time = typeof value === 'string' ? Date.parse(value) : NaN
  // Senders that have no time pass the year 1.
  return time > 0 && time < 253_402_300_800_000 ? { at: new Date(time).toISOString() } : {}
}
