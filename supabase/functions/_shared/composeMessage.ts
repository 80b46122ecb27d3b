import { encodeMentions, type Mentionable } from '../../../wire/body/encodeMentions.ts'
import { keepNecessaryEscapes } from '../../../wire/body/escapes.ts'
import { MENTION_IN_CODE } from '../../../wire/body/mentionsOf.ts'
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
  /** An emoji that is shown as the picture of the author. */
  icon?: string | null
  text: string
  cards: readonly MessageCard[]
  /**
   * Which texts can mention people by "@" and their name. By default none can: anybody may write an issue.
   */
  mentions?: 'text' | 'all'
  /** The id of a message in whose thread it replies. */
  thread?: string
  /** What it is about. The end of an event replaces the last message about it. */
  event?: { key: string; isEnd: boolean }
}

/** How messages of a webhook are displayed, and whom they can mention. */
export interface Webhook {
  name: string | null
  emoji: string | null
  /** Whether @channel and @here notify people. */
  notifies_everyone: boolean
  people: readonly Mentionable[]
}

const NO_WEBHOOK: Webhook = { name: null, emoji: null, notifies_everyone: false, people: [] }

/** A message to post. */
export interface Composed {
  body: string
  /** Null: all of it is text. */
  cards: MessageCards | null
  /** Null: its author is the bot. */
  sender: { name: string; end: number } | null
  /** Null: its picture is that of the bot. */
  icon: string | null
  /** Whether the end of the text is missing. */
  isCut: boolean
}

/**
 * The message of a content. The body has the text of the cards too, as quotes: for notifications, the search and all
 * readers that show text only. The cards are left out if they are too many or too large. The name and the icon of the content
 * precede those of the webhook.
 */
export function composeMessage(content: Content, webhook = NO_WEBHOOK): Composed {
  const { text, cards, mentions } = content
  const given = oneLine(content.sender ?? '')
  const name = isVisible(given) ? given : oneLine(webhook.name ?? '')
  const finishText = (markdown: string) =>
    mentions ? withMentions(finish(markdown), webhook) : finish(markdown)
  const finishCardText = mentions === 'all' ? finishText : finish
  const firstLine = isVisible(name) ? finish(emphasize(plainText(name), '**')) : ''
  const main = [firstLine, finishText(text)].filter(Boolean).join('\n')
  const shown = cards.filter((card) => cardText(card) !== '')
  const quotes = finishCardText(shown.map((card) => quote(cardText(card))).join('\n\n'))
  const between = main === '' || quotes === '' ? '' : '\n\n'
  const whole = main + between + quotes
  const body = cutText(whole, maxCharacters, '…')
  const isCut =
    body !== whole || text.length > maxUnescaped || shown.map(cardText).join('\n\n').length > maxUnescaped
  const items =
    shown.length <= maxCards && main.length < body.length
      ? shown.map((card) => finishCard(card, finishCardText))
      : []
  const fits = new TextEncoder().encode(JSON.stringify(items)).length <= maxCardBytes
  return {
    body,
    cards: items.length > 0 && fits ? { start: main.length, items } : null,
    sender: firstLine === '' ? null : { name, end: firstLine.length + 1 },
    icon: content.icon ?? webhook.emoji,
    isCut,
  }
}

/** The texts of a content that can mention people, without the backslashes of names. */
export function mentioningText({ text, cards, mentions }: Content): string {
  if (!mentions) return ''
  return (mentions === 'all' ? [text, ...cards.map(cardText)].join('\n') : text).replaceAll('\\', '')
}

function oneLine(name: string): string {
  return cutText(name.replaceAll(/\s+/g, ' ').trim(), maxNameCharacters)
}

/** The Markdown with the mentions that the webhook may write; "@channel" and "@here" stay text where it may not notify everyone. */
function withMentions(markdown: string, { people, notifies_everyone }: Webhook): string {
  const encoded = encodeMentions(markdown, people)
  if (notifies_everyone) return encoded
  return encoded.replaceAll(
    MENTION_IN_CODE,
    (found, slashes: string, _token: string, _person?: string, _channel?: string, everyone?: string) =>
      everyone === undefined || slashes.length % 2 === 1 ? found : `${slashes}@${everyone}`,
  )
}

/** The Markdown without unnecessary backslashes. */
function finish(markdown: string): string {
  return keepNecessaryEscapes(markdown.trim().slice(0, maxUnescaped))
}

type Finish = (markdown: string) => string

function finishCard(
  { color, at, author, title, text, fields, footer, links }: MessageCard,
  finishText: Finish,
): MessageCard {
  return {
    ...(color === undefined ? {} : { color }),
    ...(author ? { author: finishText(author) } : {}),
    ...(title ? { title: finishText(title) } : {}),
    ...(text ? { text: finishText(text) } : {}),
    ...(fields?.length
      ? { fields: fields.map(({ name, value, short }) => finishField(name, value, short, finishText)) }
      : {}),
    ...(footer ? { footer: finishText(footer) } : {}),
    ...(at === undefined ? {} : { at }),
    ...(links?.length ? { links } : {}),
  }
}

function finishField(name: string, value: string, short: true | undefined, finishText: Finish) {
  return { name: finishText(name), value: finishText(value), ...(short ? { short } : {}) }
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
