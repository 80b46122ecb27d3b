import type { MessageCard } from '../../../../wire/messages.ts'
import { escapeMentions } from '../../../../wire/body/escapeMentions.ts'
import { cutText } from '../../../../wire/texts.ts'
import { cardColor, type Content } from '../../_shared/composeMessage.ts'
import { objectOf, objectsOf, PayloadError, textOf, type Fields } from '../../_shared/payloadFields.ts'
import { link } from '../../_shared/slackMarkdown.ts'
import { line, lineOf, linked, timeField } from './markdown.ts'

const maxEmbeds = 10
const maxFields = 25
const maxCharacters = 6_000

/** Whether a payload is one that Discord's webhooks accept. */
export function isDiscord(payload: Fields): boolean {
  if (['text', 'blocks', 'attachments'].some((key) => payload[key])) return false
  return typeof payload['content'] === 'string' || Array.isArray(payload['embeds'])
}

/** A message for Discord: its content, and a card for each embed. Throws PayloadError for one without content. */
export function readDiscord(payload: Fields): Content {
  const cards = objectsOf(payload['embeds'], maxEmbeds).map(embedCard)
  const text = discordMarkdown(payload['content'])
  if (
    text === '' &&
    cards.every(
      ({ author, title, text, fields, footer }) =>
        ![author, title, text, footer].some(Boolean) && !fields?.length,
    )
  )
    throw new PayloadError('no_text')
  // Discord's @everyone are all people of the channel. Embeds notify nobody there.
  return {
    sender: lineOf(payload['username']),
    text: text.replaceAll(/(?<![\w@/.-])@everyone\b/g, '@channel'),
    cards,
    mentions: 'text',
  }
}

/** Discord's Markdown as ours: names of emoji, times and links to its people and channels are text. */
function discordMarkdown(value: unknown): string {
  const text = cutText(textOf(value), maxCharacters, '…')
    .replaceAll(/<a?(:\w{2,32}:)\d+>/g, '$1')
    .replaceAll(/<t:(-?\d{1,12})(?::[tTdDfFR])?>/g, (found, seconds: string) => {
      const date = new Date(Number(seconds) * 1000)
      return Number.isNaN(date.getTime()) ? found : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
    })
    .replaceAll(/<(@[!&]?|#)(\d{5,25})>/g, (_found, sign: string, id: string) => `${sign[0]}${id}`)
    .replaceAll(/(?<![\w_])__(?=\S)([^_\n]+)__(?![\w_])/g, '$1')
    .replaceAll(/^-# /gm, '')
  return escapeMentions(text)
}

function embedCard(embed: Fields): MessageCard {
  const [author, footer] = [objectOf(embed['author']), objectOf(embed['footer'])]
  const picture = textOf(objectOf(embed['image'])['url']) || textOf(objectOf(embed['thumbnail'])['url'])
  const color = cardColor(embed['color'])
  return {
    ...(color === undefined ? {} : { color }),
    author: linked(author['name'], author['url']),
    title: linked(embed['title'], embed['url']),
    text: [
      discordMarkdown(embed['description']),
      /^https?:/.test(picture) ? link(line('Picture'), picture) : '',
    ]
      .filter(Boolean)
      .join('\n'),
    fields: objectsOf(embed['fields'], maxFields).map((field) => ({
      name: line(field['name']),
      value: discordMarkdown(field['value']),
      ...(field['inline'] === true ? { short: true as const } : {}),
    })),
    footer: line(footer['text']),
    ...timeField(embed['timestamp']),
  }
}
