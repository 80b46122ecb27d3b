import { cardColor, composeMessage } from '../../../../supabase/functions/_shared/composeMessage.ts'
import {
  objectOf,
  objectsOf,
  textOf,
  type Fields,
} from '../../../../supabase/functions/_shared/payloadFields.ts'
import {
  emphasize,
  link,
  plainText,
  quote,
  webAddress,
} from '../../../../supabase/functions/_shared/slackMarkdown.ts'
import { isAction } from '../../../../wire/body/parseBody.ts'
import { keepNecessaryEscapes } from '../../../../wire/body/escapes.ts'
import type { MessageCard } from '../../../../wire/messages.ts'
import { cutText } from '../../../../wire/texts.ts'
import type { ConvertedText, Mapping } from '../ExportReader.ts'
import { imagesOf } from './discordFiles.ts'
import { discordMarkdown, type DiscordTokens } from './discordMarkdown.ts'
import type { DiscordLayout } from './planChannels.ts'
import type { DiscordText } from './readMessages.ts'
import { isWebAddress } from './storedPath.ts'
import { microsecondsOf } from './snowflakes.ts'
import { customEmojiName, type DiscordSurvey } from './surveyMessages.ts'

/** What texts refer to. */
export interface TextContext {
  survey: Pick<DiscordSurvey, 'roles' | 'emoji'>
  layout: Pick<DiscordLayout, 'placeOf' | 'messageAt'>
  /** The name of a thread. */
  nameOf(channel: string): string
}

/** Of a message. */
const maxCharacters = 20_000
const maxFields = 25
/** Of a card, in microseconds. */
const maxTime = Date.UTC(9999, 0) * 1_000
/** An invisible character: behind it, "/me" is text. */
const wordJoiner = '\u2060'

/** The Markdown of a message, with a card for each embed of a program, and the message to which it replies as a quote. */
export function convertText(
  fields: DiscordText,
  mapping: Mapping,
  lines: readonly string[],
  context: TextContext,
): ConvertedText {
  const tokens = createTokens(fields, mapping, context)
  const content = discordMarkdown(fields.content, tokens)
  const text = [
    ...withTitle(fields, content),
    ...forwardedLines(fields, tokens, mapping),
    ...pollLines(fields),
    lines.join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')
  const cards = cardsOf(fields, tokens)
  const { body, cards: composed, isCut } = composeMessage({ text, cards })
  const prefix = isAction(body) ? wordJoiner : ''
  const quoted = fields.quote
  const quoteId =
    quoted === undefined || mapping.channelId(quoted.channel) === null
      ? null
      : mapping.messageId(quoted.channel, quoted.key)
  const extras = {
    ...(composed === null ? {} : { cards: { ...composed, start: composed.start + prefix.length } }),
    ...(quoteId === null ? {} : { quote: { message_id: quoteId } }),
  }
  return {
    body: cutText(prefix + body, maxCharacters),
    extras: Object.keys(extras).length > 0 ? extras : null,
    whole: isCut ? keepNecessaryEscapes(text) : null,
  }
}

/** The name of a thread beside its first message, unless the message begins with it. */
function withTitle({ title = '', isPost, content }: DiscordText, markdown: string): string[] {
  if (title === '' || content.startsWith(title)) return [markdown]
  const name = emphasize(plainText(title), '**')
  return isPost ? [name, markdown] : [markdown, `🧵 ${name}`]
}

function forwardedLines({ forwarded }: DiscordText, tokens: DiscordTokens, mapping: Mapping): string[] {
  if (forwarded === undefined) return []
  const { content, channel, key } = forwarded
  const address = channel === '' ? null : messageAddress(channel, key, mapping)
  const sign = address === null ? '↪' : link('↪', address)
  const markdown = discordMarkdown(content, tokens)
  return [markdown === '' ? sign : `${sign}\n${quote(markdown)}`]
}

/** The result of a poll is an embed whose fields have names of their own. The export has no other trace of a poll. */
function pollLines({ embeds = [] }: DiscordText): string[] {
  return embeds.flatMap((embed) => {
    const values = new Map(
      objectsOf(embed['fields'], maxFields).map((field) => [textOf(field['name']), textOf(field['value'])]),
    )
    const question = values.get('poll_question_text')
    if (question === undefined) return []
    const winner = values.get('victor_answer_text') ?? ''
    const votes = `${values.get('victor_answer_votes') ?? '0'}/${values.get('total_votes') ?? '0'}`
    return [
      `📊 ${emphasize(plainText(question), '**')}\n${plainText(winner === '' ? votes : `${winner} (${votes})`)}`,
    ]
  })
}

function createTokens(
  { mentions = [], emoji = [] }: DiscordText,
  mapping: Mapping,
  { survey, layout, nameOf }: TextContext,
): DiscordTokens {
  const person = (id: string): string | null => {
    const profile = mapping.personId(id)
    if (profile !== null) return `<@${profile}>`
    const name = mentions.find((one) => one.id === id)?.name ?? ''
    return name === '' ? null : plainText(`@${name}`)
  }
  const channelAddress = (id: string): string | null => {
    const place = layout.placeOf(id)
    if (place === null) return null
    if (place.root !== null) return messageAddress(place.channel, place.root.key, mapping)
    const target = mapping.channelId(place.channel)
    return target === null ? null : `${mapping.site}/c/${target}`
  }
  return {
    person,
    role(id) {
      const name = survey.roles.get(id)
      return name === undefined ? null : plainText(name.startsWith('@') ? name : `@${name}`)
    },
    channel(id) {
      const place = layout.placeOf(id)
      if (place !== null && place.root !== null) {
        const address = channelAddress(id)
        return address === null ? null : link(plainText(nameOf(id)), address)
      }
      const target = place === null ? null : mapping.channelId(place.channel)
      return target === null ? null : `<#${target}>`
    },
    emoji(name, id) {
      const found = id || emoji.find((one) => one.name === name)?.id
      if (found === undefined) return null
      return `:${survey.emoji.get(found)?.name ?? customEmojiName(name, found)}:`
    },
    address(url) {
      const [, channel, message] =
        /^https:\/\/(?:\w{1,20}\.)?discord(?:app)?\.com\/channels\/(?:@me|\d{1,20})\/(\d{1,20})(?:\/(\d{1,20}))?\/?(?:[?#].*)?$/i.exec(
          url,
        ) ?? []
      if (channel === undefined) return null
      if (message === undefined) return channelAddress(channel)
      const found = layout.messageAt(channel, message)
      return found === null ? null : messageAddress(found.channel, found.key, mapping)
    },
    names: mentions
      .flatMap(({ id, name }) => {
        const markdown = person(id)
        return markdown === null || name === '' ? [] : [{ name, markdown }]
      })
      .sort((a, b) => b.name.length - a.name.length),
  }
}

function messageAddress(
  channel: string,
  key: string,
  { site, channelId, messageId }: Mapping,
): string | null {
  const target = channelId(channel)
  return target === null ? null : `${site}/c/${target}/m/${messageId(channel, key)}`
}

/** People cannot send embeds: theirs are previews of links. So is one whose address is in the text. */
function cardsOf(
  { content, embeds = [], isBot, forwarded }: DiscordText,
  tokens: DiscordTokens,
): MessageCard[] {
  const isShown =
    (text: string) =>
    (embed: Fields): boolean => {
      const address = textOf(embed['url'])
      const isPoll = objectsOf(embed['fields'], maxFields).some(
        (field) => field['name'] === 'poll_question_text',
      )
      return !isPoll && (address === '' || !text.includes(address))
    }
  const shown = [
    ...(isBot === true ? embeds.filter(isShown(content)) : []),
    ...(forwarded?.embeds.filter(
      (embed) => textOf(embed['url']) === '' && isShown(forwarded.content)(embed),
    ) ?? []),
  ]
  return shown.map((embed) => embedCard(embed, tokens))
}

function embedCard(embed: Fields, tokens: DiscordTokens): MessageCard {
  const author = objectOf(embed['author'])
  const markdown = (value: unknown): string => discordMarkdown(textOf(value), tokens)
  const titled = (title: string, address: unknown): string =>
    title === '' ? '' : link(title, textOf(address))
  const color = cardColor(embed['color'])
  const at = microsecondsOf(embed['timestamp'])
  const pictures = imagesOf(embed).flatMap((image) => {
    const url = textOf(image['url'])
    // A picture that the export has is a file of the message.
    const address = isWebAddress(url) ? webAddress(textOf(image['canonicalUrl']) || url) : null
    return address === null ? [] : [link('🖼', address)]
  })
  return {
    author: titled(plainText(textOf(author['name'])), author['url']),
    title: titled(markdown(embed['title']).replaceAll(/\s*\n\s*/g, ' '), embed['url']),
    text: [markdown(embed['description']), ...pictures].filter(Boolean).join('\n'),
    fields: objectsOf(embed['fields'], maxFields).map((field) => {
      const [name, value] = [markdown(field['name']), markdown(field['value'])]
      return field['isInline'] === true ? { name, value, short: true } : { name, value }
    }),
    footer: plainText(textOf(objectOf(embed['footer'])['text'])),
    ...(color === undefined ? {} : { color }),
    ...(at === null || at <= 0 || at > maxTime ? {} : { at: new Date(at / 1_000).toISOString() }),
  }
}
