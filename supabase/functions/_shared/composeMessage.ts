import { keepNecessaryEscapes } from '../../../wire/body/escapes.ts'
import type { CardColor, MessageCard, MessageCards } from '../../../wire/messages.ts'
import { cutText, isVisible } from '../../../wire/texts.ts'
import { emphasize, link, plainText, quote } from './slackMarkdown.ts'

/** Of a message; a longer text is cut. */
const maxCharacters = 20_000
/** Texts are cut before their escapes are checked, which takes time in proportion to their length. */
const maxUnescaped = 2 * maxCharacters
/** Of a name that is shown as the author. */
const maxNameCharacters = 80
const maxCards = 20
/** Of the cards as JSON. The extras of a message have at most 16,000 bytes. */
const maxCardBytes = 14_000

/** The content of a payload. Its texts are Markdown with a backslash before each sign of a text. */
export interface Content {
  /** A plain text, the first line of the body. */
  sender?: string
  text: string
  cards: readonly MessageCard[]
}

/** A message to post. */
export interface Composed {
  body: string
  /** Null: all of it is text. */
  cards: MessageCards | null
  /** Null: its author is the bot. */
  sender: { name: string; end: number } | null
  /** Whether the end of the text is missing. */
  isCut: boolean
}

/**
 * The message of a content. The body has the text of the cards too, as quotes: for notifications, the search and all
 * readers that show text only. The cards are left out if they are too many or too large.
 */
export function composeMessage({ sender = '', text, cards }: Content): Composed {
  const name = cutText(sender.replaceAll(/\s+/g, ' ').trim(), maxNameCharacters)
  const firstLine = isVisible(name) ? finish(emphasize(plainText(name), '**')) : ''
  const main = [firstLine, finish(text)].filter(Boolean).join('\n')
  const shown = cards.filter((card) => cardText(card) !== '')
  const quotes = finish(shown.map((card) => quote(cardText(card))).join('\n\n'))
  const between = main === '' || quotes === '' ? '' : '\n\n'
  const whole = main + between + quotes
  const body = cutText(whole, maxCharacters, '…')
  const isCut =
    body !== whole || text.length > maxUnescaped || shown.map(cardText).join('\n\n').length > maxUnescaped
  const items = shown.length <= maxCards && main.length < body.length ? shown.map(finishCard) : []
  const fits = new TextEncoder().encode(JSON.stringify(items)).length <= maxCardBytes
  return {
    body,
    cards: items.length > 0 && fits ? { start: main.length, items } : null,
    sender: firstLine === '' ? null : { name, end: firstLine.length + 1 },
    isCut,
  }
}

/** The Markdown without unnecessary backslashes. */
function finish(markdown: string): string {
  return keepNecessaryEscapes(markdown.trim().slice(0, maxUnescaped))
}

function finishCard({ color, at, author, title, text, fields, footer, links }: MessageCard): MessageCard {
  return {
    ...(color === undefined ? {} : { color }),
    ...(author ? { author: finish(author) } : {}),
    ...(title ? { title: finish(title) } : {}),
    ...(text ? { text: finish(text) } : {}),
    ...(fields?.length
      ? { fields: fields.map(({ name, value, short }) => finishField(name, value, short)) }
      : {}),
    ...(footer ? { footer: finish(footer) } : {}),
    ...(at === undefined ? {} : { at }),
    ...(links?.length ? { links } : {}),
  }
}

function finishField(name: string, value: string, short?: true) {
  return { name: finish(name), value: finish(value), ...(short ? { short } : {}) }
}

/** All of a card but its colour and time, as Markdown. */
function cardText({ author, title, text, fields, footer, links }: MessageCard): string {
  return [
    author,
    title ? emphasize(title, '**') : '',
    text,
    ...(fields ?? []).map(fieldText),
    links?.map(({ text, url }) => link(plainText(text), url)).join(' · '),
    footer ? emphasize(footer, '*') : '',
  ]
    .filter(Boolean)
    .join('\n')
}

function fieldText({ name, value }: { name: string; value: string }): string {
  if (name === '') return value
  // Code and lists begin on a line of their own.
  return `**${name}:**${/^(?:```|- |\d+\. |> )/.test(value) ? '\n' : ' '}${value}`.trim()
}

/** Hues in degrees of OKLCH, roughly: where each colour begins. */
const HUES: readonly [from: number, color: CardColor][] = [
  [335, 'red'],
  [265, 'purple'],
  [170, 'blue'],
  [70, 'green'],
  [42, 'yellow'],
  [18, 'orange'],
  [0, 'red'],
]

/** The colour that is nearest to `#rrggbb`, to a number with these digits, or to a name of Slack's; none for another text. */
export function cardColor(value: unknown): CardColor | undefined {
  const named: Record<string, CardColor> = { good: 'green', warning: 'yellow', danger: 'red' }
  if (typeof value === 'string' && Object.hasOwn(named, value)) return named[value]
  const digits = Number.isInteger(value)
    ? (value as number).toString(16).padStart(6, '0')
    : /^#?([\da-f]{6}|[\da-f]{3})$/i.exec(typeof value === 'string' ? value : '')?.[1]
  if (digits === undefined || !/^[\da-f]{3,6}$/i.test(digits)) return undefined
  const pair = digits.length / 3
  const channels = [0, 1, 2].map((at) =>
    Number.parseInt(digits.slice(at * pair, (at + 1) * pair).padStart(2, digits[at]), 16),
  )
  const [red = 0, green = 0, blue = 0] = channels
  const max = Math.max(...channels)
  const spread = max - Math.min(...channels)
  if (spread < 24) return 'gray'
  const sixth =
    max === red
      ? (green - blue) / spread
      : max === green
        ? 2 + (blue - red) / spread
        : 4 + (red - green) / spread
  const hue = (sixth * 60 + 360) % 360
  return HUES.find(([from]) => hue >= from)?.[1]
}
