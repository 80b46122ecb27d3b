import { cardColor } from '../../../../supabase/functions/_shared/composeMessage.ts'
import {
  objectOf,
  objectsOf,
  textOf,
  type Fields,
} from '../../../../supabase/functions/_shared/payloadFields.ts'
import { link, plainText, webAddress } from '../../../../supabase/functions/_shared/slackMarkdown.ts'
import type { MessageCard } from '../../../../wire/messages.ts'
import { discordMarkdown, type DiscordTokens } from './discordMarkdown.ts'
import { isWebAddress } from './storedPath.ts'
import { microsecondsOf } from './snowflakes.ts'

/** An embed of a program, without what messages do not show. */
export interface DiscordEmbed {
  title: string
  url: string
  description: string
  color: string
  timestamp: string
  author: string
  authorUrl: string
  footer: string
  /** `address` is the one of the web where the export has a copy at `url`. */
  pictures: { url: string; address: string }[]
  fields: { name: string; value: string; isInline: boolean }[]
}

const maxEmbeds = 10
const maxFields = 25
/** Of a card, in microseconds. */
const maxTime = Date.UTC(9999, 0) * 1_000

/**
 * The embeds of a message and of the one that it forwards. People cannot send embeds: theirs are previews of links, which are left
 * out. So is an embed whose address is in the text.
 */
export function embedsOf(message: Fields): DiscordEmbed[] {
  const forwarded = objectOf(message['forwardedMessage'])
  const isBot = objectOf(message['author'])['isBot'] === true
  const isAlone = (content: unknown, { url }: DiscordEmbed): boolean =>
    url === '' || !textOf(content).includes(url)
  return [
    ...(isBot ? listOf(message).filter((embed) => isAlone(message['content'], embed)) : []),
    // The author of a forwarded message is not known.
    ...listOf(forwarded).filter(({ url }) => url === ''),
  ]
}

function listOf(message: Fields): DiscordEmbed[] {
  return objectsOf(message['embeds'], maxEmbeds)
    .filter((embed) => resultOf(embed) === null)
    .map((embed) => {
      const author = objectOf(embed['author'])
      const images = objectsOf(embed['images'], maxEmbeds)
      return {
        title: textOf(embed['title']),
        url: textOf(embed['url']),
        description: textOf(embed['description']),
        color: textOf(embed['color']),
        timestamp: textOf(embed['timestamp']),
        author: textOf(author['name']),
        authorUrl: textOf(author['url']),
        footer: textOf(objectOf(embed['footer'])['text']),
        pictures: (images.length > 0 ? images : [objectOf(embed['image'])]).flatMap((image) => {
          const url = textOf(image['url'])
          return url === '' ? [] : [{ url, address: textOf(image['canonicalUrl']) || url }]
        }),
        fields: objectsOf(embed['fields'], maxFields).map((field) => ({
          name: textOf(field['name']),
          value: textOf(field['value']),
          isInline: field['isInline'] === true,
        })),
      }
    })
}

/** The result of a poll, which an export has as an embed whose fields have names of their own. It has no other trace of a poll. */
export interface PollResult {
  question: string
  /** Empty if several have the most votes. */
  winner: string
  votes: string
}

/** The result of a poll that a message announces; null for any other message. */
export function pollResultOf(message: Fields): PollResult | null {
  return (
    objectsOf(message['embeds'], maxEmbeds)
      .map(resultOf)
      .find((one) => one !== null) ?? null
  )
}

function resultOf(embed: Fields): PollResult | null {
  const values = new Map(
    objectsOf(embed['fields'], maxFields).map((field) => [textOf(field['name']), textOf(field['value'])]),
  )
  const question = values.get('poll_question_text')
  if (question === undefined) return null
  return {
    question,
    winner: values.get('victor_answer_text') ?? '',
    votes: `${values.get('victor_answer_votes') || '0'}/${values.get('total_votes') || '0'}`,
  }
}

/** The card of an embed. */
export function embedCard(embed: DiscordEmbed, tokens: DiscordTokens): MessageCard {
  const markdown = (text: string): string => discordMarkdown(text, tokens)
  const titled = (title: string, address: string): string => (title === '' ? '' : link(title, address))
  const color = cardColor(embed.color)
  const at = microsecondsOf(embed.timestamp)
  const pictures = embed.pictures.flatMap(({ url, address }) => {
    // A picture that the export has is a file of the message.
    const linked = isWebAddress(url) ? webAddress(address) : null
    return linked === null ? [] : [link('🖼', linked)]
  })
  return {
    author: titled(plainText(embed.author), embed.authorUrl),
    title: titled(markdown(embed.title).replaceAll(/\s*\n\s*/g, ' '), embed.url),
    text: [markdown(embed.description), ...pictures].filter(Boolean).join('\n'),
    fields: embed.fields.map((field) => {
      const [name, value] = [markdown(field.name), markdown(field.value)]
      return field.isInline ? { name, value, short: true } : { name, value }
    }),
    footer: plainText(embed.footer),
    ...(color === undefined ? {} : { color }),
    ...(at === null || at <= 0 || at > maxTime ? {} : { at: new Date(at / 1_000).toISOString() }),
  }
}
