import { composeMessage } from '../../../../supabase/functions/_shared/composeMessage.ts'
import { emphasize, link, plainText, quote } from '../../../../supabase/functions/_shared/slackMarkdown.ts'
import { isAction } from '../../../../wire/body/parseBody.ts'
import { keepNecessaryEscapes } from '../../../../wire/body/escapes.ts'
import { cutText } from '../../../../wire/texts.ts'
import type { ConvertedText, Mapping } from '../ExportReader.ts'
import { embedCard } from './discordEmbeds.ts'
import { discordMarkdown, type DiscordTokens } from './discordMarkdown.ts'
import type { DiscordLayout } from './planChannels.ts'
import type { DiscordText } from './readMessages.ts'
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
/** A longer text keeps all backslashes, because the search for the necessary ones takes too long. */
const maxUnescaped = 100_000
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
  const cards = (fields.embeds ?? []).map((embed) => embedCard(embed, tokens))
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
    whole: isCut ? (text.length > maxUnescaped ? text : keepNecessaryEscapes(text)) : null,
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

function pollLines({ poll }: DiscordText): string[] {
  if (poll === undefined) return []
  const { question, winner, votes } = poll
  const result = plainText(winner === '' ? votes : `${winner} (${votes})`)
  return [`📊 ${emphasize(plainText(question), '**')}\n${result}`]
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
